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

// unreserved / sub-delims: reg-name without percent-encoding (RFC 3986 3.2.2).
constexpr std::array<bool, 256> kNameChars = [] {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = table[c - 32] = true;
  for (const char c : std::string_view("-._~!$&'()*+,;="))
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_name_char(char c) { return kNameChars[static_cast<unsigned char>(c)]; }

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

bool split_literal(std::string_view authority, std::string_view& host, std::string_view& port) {
  const std::size_t close = authority.find(']');
  if (close == std::string_view::npos || !is_ipv6_text(authority.substr(1, close - 1))) {
    return false;
  }
  host = authority.substr(0, close + 1);
  const std::string_view rest = authority.substr(close + 1);
  if (rest.empty()) return true;
  if (rest.front() != ':') return false;
  port = rest.substr(1);
  return is_port(port);
}

}  // namespace

bool split_authority(std::string_view authority, std::string_view& host, std::string_view& port) {
  host = port = std::string_view();
  if (authority.empty()) return false;
  if (authority.front() == '[') return split_literal(authority, host, port);
  std::size_t end = 0;
  while (end < authority.size() && is_name_char(authority[end])) ++end;
  host = authority.substr(0, end);
  if (host.empty() || host == "." || host.size() > kMaxHostSize) return false;
  if (end == authority.size()) return true;
  if (authority[end] != ':') return false;
  port = authority.substr(end + 1);
  return is_port(port);
}

bool is_ip_literal(std::string_view host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') return true;
  int parts = 1;
  int digits = 0;
  int value = 0;
  for (const char c : host) {
    if (c == '.') {
      if (digits == 0 || ++parts > 4) return false;
      digits = value = 0;
      continue;
    }
    if (!is_digit(c) || ++digits > 3) return false;
    value = value * 10 + (c - '0');
    if (value > 255) return false;
  }
  return parts == 4 && digits > 0;
}

}  // namespace servery::http
