// File name -> Content-Type, by extension: what mime_table.h lists. Pure.
#pragma once

#include <string_view>

namespace servery::features {

// A whole Content-Type value, with "; charset=utf-8" for text; "application/octet-stream" for what
// is not known. Looks at the last component of `path`; the extension's case does not matter.
std::string_view mime_type(std::string_view path);

}  // namespace servery::features
