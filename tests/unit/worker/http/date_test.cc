#include "worker/http/date.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <string>

namespace servery::http {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;  // 2023

std::string format(std::int64_t when) {
  char out[kHttpDateSize];
  format_http_date(when, out);
  return {out, sizeof out};
}

std::string by_libc(std::int64_t when) {
  const std::time_t time = when;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char out[64];
  const std::size_t size = std::strftime(out, sizeof out, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {out, size};
}

TEST(Date, FormatsAsLibcDoesOverManyDays) {
  for (std::int64_t when = 0; when < 253'402'300'799; when += 86'400 * 41 + 3'601) {
    ASSERT_EQ(format(when), by_libc(when));
    ASSERT_EQ(parse_http_date(format(when), kNow), when);
  }
}

TEST(Date, ClampsWhatFourDigitsCannotHold) {
  EXPECT_EQ(format(-1), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(format(std::numeric_limits<std::int64_t>::max()), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(format(std::numeric_limits<std::int64_t>::min()), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(Date, TakesTheThreeForms) {  // RFC 9110 5.6.7
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), 784'111'777);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), 784'111'777);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kNow), 784'111'777);
  EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994", kNow), 784'975'777);
}

TEST(Date, TwoDigitYearsMoreThanFiftyAheadArePast) {
  EXPECT_EQ(parse_http_date("Tuesday, 01-Jan-73 00:00:00 GMT", kNow), 3250454400);   // 2073
  EXPECT_EQ(parse_http_date("Tuesday, 01-Jan-74 00:00:00 GMT", kNow), 126'230'400);  // 1974
}

TEST(Date, RefusesWhatIsNoDate) {
  for (const char* text : {"", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 32 Jan 1994 08:49:37 GMT",
                           "Sun, 29 Feb 1995 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994", "784111777"}) {
    EXPECT_EQ(parse_http_date(text, kNow), std::nullopt) << text;
  }
  EXPECT_TRUE(parse_http_date("Thu, 29 Feb 1996 08:49:37 GMT", kNow));
  EXPECT_TRUE(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", kNow));
}

TEST(Date, CacheFormatsOncePerSecond) {
  DateCache cache;
  const WallTime first{std::chrono::seconds(784'111'777)};
  EXPECT_EQ(cache.line(first), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(cache.value(first + std::chrono::milliseconds(999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(cache.value(first + std::chrono::seconds(1)), "Sun, 06 Nov 1994 08:49:38 GMT");
}

}  // namespace
}  // namespace servery::http
