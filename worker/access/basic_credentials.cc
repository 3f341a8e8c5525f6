#include "worker/access/basic_credentials.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/text.h"

namespace servery::access {
namespace {

constexpr std::string_view kScheme = "basic";
constexpr std::size_t kMaxDecoded = 1024;
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  for (std::uint8_t& digit : digits) digit = kNoDigit;
  for (std::uint8_t i = 0; i < 26; ++i) {
    digits[static_cast<std::size_t>('A' + i)] = i;
    digits[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(26 + i);
  }
  for (std::uint8_t i = 0; i < 10; ++i) {
    digits[static_cast<std::size_t>('0' + i)] = static_cast<std::uint8_t>(52 + i);
  }
  digits['+'] = 62;
  digits['/'] = 63;
  return digits;
}
constexpr auto kDigits = make_digits();

bool decode(std::string_view text, std::string& out) {
  if (text.empty() || text.size() % 4 != 0 || text.size() / 4 * 3 > kMaxDecoded) return false;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  out.reserve(kMaxDecoded);  // never moved: a copy would not be wiped
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return false;
    bits = bits << 6 | digit;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return (bits & ((1U << count) - 1)) == 0;  // RFC 4648 3.5: pad bits are zero
}

}  // namespace

Credentials::~Credentials() { ::explicit_bzero(text.data(), text.size()); }

bool is_basic(std::string_view authorization) {
  return equals_ignore_case(authorization.substr(0, authorization.find(' ')), kScheme);
}

std::optional<Credentials> parse_basic(std::string_view authorization) {
  if (!is_basic(authorization)) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  Credentials credentials;
  if (!decode(trim_ows(authorization), credentials.text)) return std::nullopt;
  credentials.colon = credentials.text.find(':');
  if (credentials.colon == std::string::npos || credentials.colon == 0) return std::nullopt;
  const bool plain = std::none_of(credentials.text.begin(), credentials.text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!plain) return std::nullopt;
  return credentials;
}

}  // namespace servery::access
