// What control commands print for people: the status in aligned columns, and verdicts. Pure: JSON
// as the server sent it in, text out; a member that is missing or of another type shows as "-".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace servery {

std::string format_status(const Json& status, bool colour);
// `reload` or the answer to `stop`: one line, then the problems.
std::string format_verdict(std::string_view command, const Json& result, bool colour);
std::string format_plan(const Json& result, bool colour);

// "95", "1.2k", "3.4M"; "12 KiB"; "1h02m", "3m07s", "4.2s".
std::string format_count(double value);
std::string format_bytes(double bytes);
std::string format_span(double seconds);
// Columns two spaces apart, numbers to the right; the first row is the heading.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace servery
