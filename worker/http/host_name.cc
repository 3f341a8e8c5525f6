#include "worker/http/host_name.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"

namespace servery::http {
namespace {

bool is_hex(char c) {
  const char lower = ascii_lower(c);
  return is_digit(c) || (lower >= 'a' && lower <= 'f');
}

constexpr std::uint8_t kName = 1;
constexpr std::uint8_t kUpper = 2;

// unreserved / sub-delims: reg-name without percent-encoding (RFC 3986 3.2.2).
constexpr std::array<std::uint8_t, 256> kHostKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (unsigned c = '0'; c <= '9'; ++c) kinds[c] = kName;
  for (unsigned c = 'a'; c <= 'z'; ++c) kinds[c] = kName;
  for (unsigned c = 'A'; c <= 'Z'; ++c) kinds[c] = kUpper;
  for (char c : std::string_view("-._~!$&'()*+,;=")) {
    kinds[static_cast<unsigned char>(c)] = kName;
  }
  return kinds;
}();

// The inside of brackets: the characters of an IPv6 address and at least two colons.
bool is_ipv6_text(std::string_view text) {
  constexpr std::size_t kLongest = 45;
  if (text.size() > kLongest || std::count(text.begin(), text.end(), ':') < 2) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_hex(c) || c == ':' || c == '.'; });
}

bool is_port(std::string_view digits) {
  if (digits.size() > 5) return false;
  unsigned value = 0;
  for (const char c : digits) {
    if (!is_digit(c)) return false;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value <= 65535;
}

bool split_literal(std::string_view authority, HostAndPort& out) {
  const std::size_t close = authority.find(']');
  if (close == std::string_view::npos || !is_ipv6_text(authority.substr(1, close - 1))) {
    return false;
  }
  out.host = authority.substr(0, close + 1);
  out.has_upper =
      std::any_of(out.host.begin(), out.host.end(), [](char c) { return c != ascii_lower(c); });
  const std::string_view rest = authority.substr(close + 1);
  if (rest.empty()) return true;
  if (rest.front() != ':') return false;
  out.port = rest.substr(1);
  return is_port(out.port);
}

// Four decimal numbers of at most 255 in at most three digits each.
bool is_ipv4(std::string_view text) {
  unsigned value = 0;
  unsigned digits = 0;
  int dots = 0;
  for (char c : text) {
    if (is_digit(c)) {
      value = value * 10 + static_cast<unsigned>(c - '0');
      if (++digits > 3 || value > 255) return false;
    } else {
      if (c != '.' || digits == 0 || ++dots > 3) return false;
      value = digits = 0;
    }
  }
  return dots == 3 && digits > 0;
}

}  // namespace

bool split_authority(std::string_view authority, HostAndPort& out) {
  out = HostAndPort{};
  if (authority.empty()) return false;
  if (authority.front() == '[') return split_literal(authority, out);
  std::size_t end = 0;
  unsigned seen = 0;
  for (; end < authority.size(); ++end) {
    const unsigned kind = kHostKinds[static_cast<unsigned char>(authority[end])];
    if (kind == 0) break;
    seen |= kind;
  }
  out.host = authority.substr(0, end);
  out.has_upper = (seen & kUpper) != 0;
  if (out.host.empty() || out.host == "." || out.host.size() > kMaxHostSize) return false;
  if (end == authority.size()) return true;
  if (authority[end] != ':') return false;
  out.port = authority.substr(end + 1);
  return is_port(out.port);
}

bool is_ip_literal(std::string_view host) {
  return is_ipv4(host) || (host.size() > 2 && host.front() == '[' && host.back() == ']');
}

}  // namespace servery::http
