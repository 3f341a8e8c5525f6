#include "config/json_fields.h"

#include <cstdint>

namespace servery::json_fields {

std::string bytes_to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xc0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return out;
}

std::optional<std::string> utf8_to_bytes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      out += text[i];
      continue;
    }
    // Only U+0080 to U+00FF stand for bytes: lead 0xc2 or 0xc3 and one continuation byte.
    if ((lead != 0xc2 && lead != 0xc3) || i + 1 == text.size()) return std::nullopt;
    const auto next = static_cast<unsigned char>(text[++i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    out += static_cast<char>(((lead & 3) << 6) | (next & 0x3f));
  }
  return out;
}

bool FieldReader::read(const Json& json, std::string& text) {
  if (!json.is_string()) return false;
  auto bytes = utf8_to_bytes(json.get_ref<const std::string&>());
  if (!bytes) return false;
  text = std::move(*bytes);
  return true;
}

bool FieldReader::read(const Json& json, std::chrono::milliseconds& value) {
  std::uint64_t count = 0;
  if (!read(json, count)) return false;
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
  value = std::chrono::milliseconds(static_cast<std::int64_t>(count));
  return true;
}

}  // namespace servery::json_fields
