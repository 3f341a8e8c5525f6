#include "worker/http/host_name.h"

#include <algorithm>
#include <array>
#include <optional>

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

// How many of the eight groups of an IPv6 address `text` holds, without "::"; nothing: it is no
// such list. The last two may be written as an IPv4 address.
std::optional<std::size_t> count_groups(std::string_view text) {
  constexpr std::size_t kMostDigits = 4;
  std::size_t groups = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(':');
    const std::string_view group = text.substr(0, end);
    if (end == std::string_view::npos && is_ipv4(group)) return groups + 2;
    if (group.empty() || group.size() > kMostDigits) return std::nullopt;
    if (!std::all_of(group.begin(), group.end(), is_hex)) return std::nullopt;
    ++groups;
    if (end == std::string_view::npos) return groups;
    text.remove_prefix(end + 1);
    if (text.empty()) return std::nullopt;  // ends with one colon
  }
  return groups;
}

// IPv6address (RFC 3986 3.2.2): eight groups, or fewer around one "::". Neither a zone nor a future
// kind of literal is a name of ours.
bool is_ipv6_text(std::string_view text) {
  constexpr std::size_t kGroups = 8;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return count_groups(text) == kGroups;
  const std::string_view before = text.substr(0, gap);
  const auto left =
      before.find('.') == std::string_view::npos ? count_groups(before) : std::nullopt;
  const auto right = count_groups(text.substr(gap + 2));
  return left && right && *left + *right < kGroups;
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
