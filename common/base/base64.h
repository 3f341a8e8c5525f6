// Base64 (RFC 4648): the standard alphabet with padding, the URL one without. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace servery {

enum class Base64 : std::uint8_t { kStandard, kUrl };  // RFC 4648 4 with padding, 5 without
void append_base64(std::string& out, std::string_view bytes, Base64 alphabet);
std::optional<std::string> decode_base64url(std::string_view text);  // canonical texts only

}  // namespace servery
