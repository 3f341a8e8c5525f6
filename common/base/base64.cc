#include "common/base/base64.h"

namespace servery {
namespace {

constexpr std::string_view kStandardAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

void append_base64(std::string& out, std::string_view bytes, Base64 alphabet) {
  const std::string_view letters = alphabet == Base64::kUrl ? kUrlAlphabet : kStandardAlphabet;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    group = group << 8 | static_cast<unsigned char>(bytes[i]);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out += letters[group >> bits & 63];
    }
  }
  if (bits > 0) out += letters[group << (6 - bits) & 63];
  if (alphabet == Base64::kUrl) return;
  if (bytes.size() % 3 != 0) out.append(3 - bytes.size() % 3, '=');
}

std::optional<std::string> decode_base64url(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = kUrlAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  // What is left over must be less than a letter, and zero.
  if (bits >= 6 || (group & ((1U << bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace servery
