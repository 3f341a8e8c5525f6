#include "common/base/utf8.h"

namespace servery {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool is_continuation(std::string_view text, std::size_t i, unsigned least, unsigned most) {
  return i < text.size() && byte_at(text, i) >= least && byte_at(text, i) <= most;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned first = byte_at(text, 0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return is_continuation(text, 1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned least = first == 0xE0 ? 0xA0 : 0x80;  // no overlong form
    const unsigned most = first == 0xED ? 0x9F : 0xBF;   // no surrogate
    return is_continuation(text, 1, least, most) && is_continuation(text, 2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned least = first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xF4 ? 0x8F : 0xBF;
    return is_continuation(text, 1, least, most) && is_continuation(text, 2, 0x80, 0xBF) &&
                   is_continuation(text, 3, 0x80, 0xBF)
               ? 4
               : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = utf8_length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

}  // namespace servery
