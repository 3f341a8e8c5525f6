// Content-Disposition (RFC 6266): a download and the name it is to have. Pure; names are hostile.
#pragma once

#include <string>
#include <string_view>

namespace servery::http {

inline constexpr std::string_view kContentDisposition = "content-disposition";

// An attachment with this file name: plain, and as UTF-8 (RFC 8187) where that differs. What could
// lead elsewhere or end the field (separators, controls) is '_' in both.
std::string attachment(std::string_view file_name);

// The name asked for, for the content of a file of that name: its extension stays that of the file,
// so that a link cannot turn a text into a program. The file's own where none is asked for.
std::string download_name(std::string_view asked, std::string_view file_name);

}  // namespace servery::http
