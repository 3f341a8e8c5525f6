#include "config/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "config/scalar.h"

namespace servery {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::string_view kFdPrefix = "fd:";

SyntaxCheck fault(std::string message, std::string suggestion = {}) {
  return SyntaxFault{std::move(message), std::move(suggestion)};
}

// The numeric form the kernel prints, or empty.
std::string canonical_ip(int family, std::string_view text) {
  in6_addr address{};
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (inet_pton(family, std::string(text).c_str(), &address) != 1) return {};
  return inet_ntop(family, &address, out.data(), out.size()) == nullptr ? "" : out.data();
}

SyntaxCheck parse_host(std::string_view host, std::string_view port, PlanListener& out) {
  if (host.empty()) return std::nullopt;
  if (host == "*")
    return fault("every address is written without a host", fmt::format(":{}", port));
  if (host.front() == '[' && host.back() == ']') {
    out.family = AddressFamily::kIpv6;
    out.ip = canonical_ip(AF_INET6, host.substr(1, host.size() - 2));
    constexpr std::string_view kMapped = "::ffff:";
    const std::string_view ipv4 = std::string_view(out.ip).substr(
        std::min(out.ip.starts_with(kMapped) ? kMapped.size() : out.ip.size(), out.ip.size()));
    if (!canonical_ip(AF_INET, ipv4).empty()) {
      return fault("an IPv4 address in IPv6 form", fmt::format("{}:{}", ipv4, port));
    }
    return out.ip.empty() ? fault("not an IPv6 address") : std::nullopt;
  }
  out.family = AddressFamily::kIpv4;
  out.ip = canonical_ip(AF_INET, host);
  if (!out.ip.empty()) return std::nullopt;
  if (host == "localhost") return fault("not an address", fmt::format("127.0.0.1:{}", port));
  if (host.find('/') != std::string_view::npos) {
    return fault("must be HOST:PORT, without scheme and path");
  }
  if (host.find(':') != std::string_view::npos) {
    return fault("an IPv6 address stands in brackets", canonical_ip(AF_INET6, host).empty()
                                                           ? std::string()
                                                           : fmt::format("[{}]:{}", host, port));
  }
  return fault("not an IP address");
}

SyntaxCheck parse_tcp(std::string_view text, PlanListener& out) {
  out.kind = AddressKind::kTcp;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) {
    const auto port = parse_integer(text);
    return fault("must be HOST:PORT, :PORT, unix:PATH or fd:NAME",
                 port && *port <= 65'535 ? fmt::format(":{}", text) : std::string());
  }
  const std::string_view digits = text.substr(colon + 1);
  const auto port = parse_integer(digits);
  if (!port || *port > 65'535) return fault("the port must be a number from 0 to 65535");
  out.port = static_cast<std::uint16_t>(*port);
  return parse_host(text.substr(0, colon), digits, out);
}

SyntaxCheck parse_unix(std::string_view path, PlanListener& out) {
  // The listener is bound under a temporary name beside it first (".sPID.N"), which must fit too.
  constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 16;
  out.kind = AddressKind::kUnix;
  out.path = path;
  if (path.empty()) return fault("a path is missing after unix:");
  if (path.front() == '@') return fault("abstract sockets are not offered");
  if (path.size() > kMaxPath) return fault(fmt::format("longer than {} bytes", kMaxPath));
  if (path.back() == '/') return fault("the path of a socket, not of a directory");
  return std::nullopt;
}

SyntaxCheck parse_fd(std::string_view name, PlanListener& out) {
  constexpr std::size_t kMaxName = 255;
  out.kind = AddressKind::kFd;
  out.fd = name;
  const bool printable =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f && c != ':'; });
  if (name.empty() || name.size() > kMaxName || !printable) {
    return fault("a name (FileDescriptorName=) or a number must follow fd:");
  }
  if (!std::all_of(name.begin(), name.end(), is_digit)) return std::nullopt;
  const auto number = parse_integer(name);
  if (!number || *number < 3 || *number > 65'535) {
    return fault("the number of a descriptor is 3 to 65535");
  }
  return std::nullopt;
}

bool has_family(const PlanListener& listener, AddressFamily family) {
  return listener.family == AddressFamily::kBoth || listener.family == family;
}

std::string_view ip_of(const PlanListener& listener, AddressFamily family) {
  if (listener.family != AddressFamily::kBoth) return listener.ip;
  return family == AddressFamily::kIpv4 ? "0.0.0.0" : "::";
}

}  // namespace

ParsedAddress parse_address(std::string_view text) {
  ParsedAddress out;
  out.listener.configured = text;
  if (text.starts_with(kUnixPrefix)) {
    out.fault = parse_unix(text.substr(kUnixPrefix.size()), out.listener);
  } else if (text.starts_with(kFdPrefix)) {
    out.fault = parse_fd(text.substr(kFdPrefix.size()), out.listener);
  } else {
    out.fault = parse_tcp(text, out.listener);
  }
  return out;
}

std::string address_from_flag(std::string_view text) {
  const bool port_only = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
  return port_only ? fmt::format("127.0.0.1:{}", text) : std::string(text);
}

bool same_socket(const PlanListener& a, const PlanListener& b) {
  if (a.configured == b.configured) return true;
  if (a.kind != b.kind) return false;
  if (a.kind == AddressKind::kUnix) return a.path == b.path;
  if (a.kind == AddressKind::kFd) return a.fd == b.fd;
  if (a.port != b.port || a.port == 0) return false;
  for (const AddressFamily family : {AddressFamily::kIpv4, AddressFamily::kIpv6}) {
    if (has_family(a, family) && has_family(b, family) && ip_of(a, family) == ip_of(b, family)) {
      return true;
    }
  }
  return false;
}

}  // namespace servery
