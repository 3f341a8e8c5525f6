// Names of any bytes, sizes and times as text: appended to a page, safe where they stand. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace servery::listing {

// For people, in HTML text and attributes: markup escaped, controls as their pictures, bytes that
// are not UTF-8 and direction overrides as U+FFFD.
void append_html_name(std::string& out, std::string_view name);
// A JSON string (RFC 8259): UTF-8 kept, other bytes as U+FFFD.
void append_json_string(std::string& out, std::string_view text);

void append_number(std::string& out, std::uint64_t value);
void append_grouped(std::string& out, std::uint64_t value);  // 1,234,567
void append_size(std::string& out, std::uint64_t bytes);     // 999 B, 1.2 KiB, 34 MiB
// Unix seconds in UTC. Years outside 0 to 9999 give false and nothing.
bool append_iso_time(std::string& out, std::int64_t seconds);    // 2026-11-30T19:00:00Z
bool append_short_time(std::string& out, std::int64_t seconds);  // 2026-11-30 19:00

}  // namespace servery::listing
