#include "worker/http/date.h"

#include <algorithm>
#include <cstring>

#include "common/base/text.h"

namespace servery::http {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kSecondsPerDay = 86'400;

// Days since 1970-01-01 of a Gregorian date, and back (H. Hinnant, "chrono-compatible low-level
// date algorithms"); March is month 0 of the year used inside.
std::int64_t days_from_civil(std::int64_t year, unsigned month, unsigned day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

struct Civil {
  std::int64_t year;
  unsigned month;
  unsigned day;
};

Civil civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = days / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto shifted = static_cast<unsigned>((5 * day_of_year + 2) / 153);
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted + 2) / 5 + 1);
  const unsigned month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

unsigned days_in_month(std::int64_t year, unsigned month) {
  constexpr std::array<unsigned, 12> kLengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kLengths[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

// Reads a date from the front; every step fails without moving on.
class DateCursor {
 public:
  explicit DateCursor(std::string_view text) : rest_(text) {}

  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // Exactly `digits` digits.
  bool number(std::size_t digits, unsigned& value) {
    if (rest_.size() < digits) return false;
    const auto parsed = parse_unsigned<unsigned>(rest_.substr(0, digits));
    if (!parsed) return false;
    value = *parsed;
    rest_.remove_prefix(digits);
    return true;
  }
  bool month(unsigned& value) {
    for (unsigned i = 0; i < kMonths.size(); ++i) {
      if (literal(kMonths[i])) {
        value = i + 1;
        return true;
      }
    }
    return false;
  }
  bool day_name(bool is_short) {
    return std::any_of(kDays.begin(), kDays.end(), [this, is_short](std::string_view day) {
      return literal(is_short ? day.substr(0, 3) : day);
    });
  }
  bool time(unsigned& hour, unsigned& minute, unsigned& second) {
    return number(2, hour) && literal(":") && number(2, minute) && literal(":") &&
           number(2, second);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

struct Parts {
  unsigned year = 0;
  unsigned month = 0;
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
};

// Sun, 06 Nov 1994 08:49:37 GMT
bool parse_imf(DateCursor at, Parts& p) {
  return at.day_name(true) && at.literal(", ") && at.number(2, p.day) && at.literal(" ") &&
         at.month(p.month) && at.literal(" ") && at.number(4, p.year) && at.literal(" ") &&
         at.time(p.hour, p.minute, p.second) && at.literal(" GMT") && at.at_end();
}

// Sunday, 06-Nov-94 08:49:37 GMT
bool parse_rfc850(DateCursor at, Parts& p) {
  return at.day_name(false) && at.literal(", ") && at.number(2, p.day) && at.literal("-") &&
         at.month(p.month) && at.literal("-") && at.number(2, p.year) && at.literal(" ") &&
         at.time(p.hour, p.minute, p.second) && at.literal(" GMT") && at.at_end();
}

// Sun Nov  6 08:49:37 1994
bool parse_asctime(DateCursor at, Parts& p) {
  if (!at.day_name(true) || !at.literal(" ") || !at.month(p.month) || !at.literal(" ")) {
    return false;
  }
  const bool has_day = at.literal(" ") ? at.number(1, p.day) : at.number(2, p.day);
  return has_day && at.literal(" ") && at.time(p.hour, p.minute, p.second) && at.literal(" ") &&
         at.number(4, p.year) && at.at_end();
}

std::optional<std::int64_t> to_unix(const Parts& p) {
  const bool is_date = p.year >= 1 && p.day >= 1 && p.day <= days_in_month(p.year, p.month);
  // Second 60: a leap second.
  if (!is_date || p.hour > 23 || p.minute > 59 || p.second > 60) return std::nullopt;
  return days_from_civil(p.year, p.month, p.day) * kSecondsPerDay +
         static_cast<std::int64_t>(p.hour * 3'600 + p.minute * 60 + p.second);
}

void put_number(char* at, std::int64_t value, int digits) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) at[i] = static_cast<char>('0' + value % 10);
}

}  // namespace

void format_http_date(std::int64_t unix_seconds, char (&out)[kHttpDateSize]) {
  constexpr std::int64_t kLast = 253'402'300'799;  // 9999-12-31 23:59:59
  const std::int64_t when = std::clamp<std::int64_t>(unix_seconds, 0, kLast);
  const std::int64_t days = when / kSecondsPerDay;
  const std::int64_t second = when % kSecondsPerDay;
  const Civil date = civil_from_days(days);
  std::memcpy(out, "Sun, 00 Jan 0000 00:00:00 GMT", kHttpDateSize);
  std::memcpy(out, kDays[static_cast<std::size_t>((days + 4) % 7)].data(), 3);
  put_number(out + 5, date.day, 2);
  std::memcpy(out + 8, kMonths[date.month - 1].data(), 3);
  put_number(out + 12, date.year, 4);
  put_number(out + 17, second / 3'600, 2);
  put_number(out + 20, second / 60 % 60, 2);
  put_number(out + 23, second % 60, 2);
}

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) {
  Parts parts;
  if (parse_imf(DateCursor(text), parts) || parse_asctime(DateCursor(text), parts)) {
    return to_unix(parts);
  }
  if (!parse_rfc850(DateCursor(text), parts)) return std::nullopt;
  // RFC 9110 5.6.7: a two-digit year more than 50 years ahead is in the past.
  const std::int64_t this_year =
      civil_from_days(std::max<std::int64_t>(now, 0) / kSecondsPerDay).year;
  std::int64_t year = this_year / 100 * 100 + parts.year;
  if (year > this_year + 50) year -= 100;
  parts.year = static_cast<unsigned>(year);
  return to_unix(parts);
}

std::string_view DateCache::line(WallTime now) {
  const std::int64_t second =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (second != second_) {
    second_ = second;
    char date[kHttpDateSize];
    format_http_date(second, date);
    std::memcpy(line_.data(), "Date: ", 6);
    std::memcpy(line_.data() + 6, date, kHttpDateSize);
    std::memcpy(line_.data() + 6 + kHttpDateSize, "\r\n", 2);
  }
  return {line_.data(), line_.size()};
}

}  // namespace servery::http
