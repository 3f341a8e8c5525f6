// HTTP dates (RFC 9110 5.6.7) and the Date field, made once a second. Pure; worker thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/clock.h"

namespace servery::http {

inline constexpr std::size_t kHttpDateSize = 29;  // "Sun, 06 Nov 1994 08:49:37 GMT"

// IMF-fixdate of Unix seconds, clamped to the years 1970 to 9999.
void format_http_date(std::int64_t unix_seconds, char (&out)[kHttpDateSize]);
// The three forms of RFC 9110. `now` places the two-digit years of RFC 850 dates.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now);

// The current date's text, formatted again only when the second has changed.
class DateCache {
 public:
  // "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", valid until the next call.
  std::string_view line(WallTime now);
  // The date alone, as other transports send it.
  std::string_view value(WallTime now) { return line(now).substr(6, kHttpDateSize); }

 private:
  std::int64_t second_ = -1;
  std::array<char, 6 + kHttpDateSize + 2> line_{};
};

}  // namespace servery::http
