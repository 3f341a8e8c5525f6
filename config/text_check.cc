#include "config/text_check.h"

#include <fmt/format.h>

namespace servery {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Length of the UTF-8 sequence at `i`; 0: none (RFC 3629 section 4).
std::size_t sequence_length(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  const unsigned second = byte_at(text, i + 1);
  const auto continues = [text, i](std::size_t count) {
    for (std::size_t k = 1; k <= count; ++k) {
      if ((byte_at(text, i + k) & 0xc0) != 0x80) return false;
    }
    return true;
  };
  if (lead >= 0xc2 && lead <= 0xdf) return continues(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && second < 0xa0) return 0;
    if (lead == 0xed && second > 0x9f) return 0;
    return continues(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0 && second < 0x90) return 0;
    if (lead == 0xf4 && second > 0x8f) return 0;
    return continues(3) ? 4 : 0;
  }
  return 0;
}

bool is_forbidden_control(unsigned byte) {
  return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
}

}  // namespace

std::optional<BadText> find_bad_text(std::string_view text) {
  Position position{1, 1};
  for (std::size_t i = 0; i < text.size();) {
    const unsigned byte = byte_at(text, i);
    if (is_forbidden_control(byte)) {
      return BadText{position, "invalid_character",
                     fmt::format("control character 0x{:02x} is not allowed", byte)};
    }
    const std::size_t length = sequence_length(text, i);
    if (length == 0) {
      return BadText{position, "invalid_utf8", fmt::format("byte 0x{:02x} is not UTF-8", byte)};
    }
    if (byte == '\n') {
      ++position.line;
      position.column = 1;
    } else {
      ++position.column;
    }
    i += length;
  }
  return std::nullopt;
}

}  // namespace servery
