#include "supervisor/tcp_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

sockaddr_in& ipv4(sockaddr_storage& storage) { return reinterpret_cast<sockaddr_in&>(storage); }
sockaddr_in6& ipv6(sockaddr_storage& storage) { return reinterpret_cast<sockaddr_in6&>(storage); }
const sockaddr_in& ipv4(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in&>(storage);
}
const sockaddr_in6& ipv6(const sockaddr_storage& storage) {
  return reinterpret_cast<const sockaddr_in6&>(storage);
}

std::array<std::uint8_t, 16> ip_bytes(const sockaddr_storage& storage) {
  std::array<std::uint8_t, 16> bytes{};
  if (storage.ss_family == AF_INET) {
    std::memcpy(bytes.data(), &ipv4(storage).sin_addr, 4);
  } else {
    std::memcpy(bytes.data(), &ipv6(storage).sin6_addr, 16);
  }
  return bytes;
}

bool is_zero(const std::array<std::uint8_t, 16>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

Result<TcpAddress> TcpAddress::parse(AddressFamily family, const std::string& ip,
                                     std::uint16_t port) {
  TcpAddress address;
  const bool is_ipv4 = family == AddressFamily::kIpv4;
  address.storage_.ss_family = is_ipv4 ? AF_INET : AF_INET6;
  void* bytes = is_ipv4 ? static_cast<void*>(&ipv4(address.storage_).sin_addr)
                        : static_cast<void*>(&ipv6(address.storage_).sin6_addr);
  if (!ip.empty() && inet_pton(address.family(), ip.c_str(), bytes) != 1) {
    return fail(Errc::kInvalid, fmt::format("{} is not a numeric address", ip));
  }
  address.set_port(port);
  return address;
}

Result<TcpAddress> TcpAddress::of_socket(int fd) {
  TcpAddress address;
  socklen_t size = sizeof address.storage_;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage_), &size) != 0) {
    return fail_errno("getsockname", errno);
  }
  if (address.family() != AF_INET && address.family() != AF_INET6) {
    return fail(Errc::kInvalid, "not a TCP socket");
  }
  return address;
}

std::uint16_t TcpAddress::port() const {
  return ntohs(family() == AF_INET ? ipv4(storage_).sin_port : ipv6(storage_).sin6_port);
}

void TcpAddress::set_port(std::uint16_t port) {
  (family() == AF_INET ? ipv4(storage_).sin_port : ipv6(storage_).sin6_port) = htons(port);
}

bool TcpAddress::is_any() const { return is_zero(ip_bytes(storage_)); }

socklen_t TcpAddress::size() const {
  return family() == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

std::string TcpAddress::text() const {
  char ip[INET6_ADDRSTRLEN] = {};
  const auto bytes = ip_bytes(storage_);
  inet_ntop(family(), bytes.data(), ip, sizeof ip);
  if (family() == AF_INET) return fmt::format("{}:{}", ip, port());
  return fmt::format("[{}]:{}", ip, port());
}

bool TcpAddress::covers(const TcpAddress& local) const {
  return family() == local.family() && port() == local.port() &&
         (is_any() || ip_bytes(storage_) == ip_bytes(local.storage_));
}

bool TcpAddress::conflicts_with(const TcpSocket& listening) const {
  if (listening.local_port != port()) return false;
  const bool listens_any = is_zero(listening.local);
  if (listening.family != family()) {  // an IPv6 socket for both families is in the way of IPv4
    return family() == AF_INET && listens_any && !listening.v6_only;
  }
  return listens_any || is_any() || listening.local == ip_bytes(storage_);
}

bool has_ipv6_loopback() {
  const UniqueFd fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  sockaddr_in6 loopback{};
  loopback.sin6_family = AF_INET6;
  loopback.sin6_addr = in6addr_loopback;
  return bind(fd.get(), reinterpret_cast<const sockaddr*>(&loopback), sizeof loopback) == 0;
}

}  // namespace servery
