// Whether bytes may be configuration text at all: UTF-8 without control characters. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/document.h"

namespace servery {

struct BadText {
  Position position;
  std::string reason;  // "invalid_utf8", "invalid_character"
  std::string message;
};

// The first offending byte: NUL and other control characters (tab and line breaks excepted),
// sequences that are not UTF-8 (RFC 3629: no overlong form, no surrogate, at most U+10FFFF).
std::optional<BadText> find_bad_text(std::string_view text);

}  // namespace servery
