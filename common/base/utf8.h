// UTF-8 as RFC 3629 defines it: no overlong form, no surrogate, nothing above U+10FFFF. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace servery {

// Length of the sequence at the front, 0 if there is none.
std::size_t utf8_length(std::string_view text);
bool is_utf8(std::string_view text);

}  // namespace servery
