#include "config/scalar.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(Scalar, IntegersAreDecimalWithoutOrnament) {
  EXPECT_EQ(parse_integer("0"), 0u);
  EXPECT_EQ(parse_integer("18446744073709551615"), 18446744073709551615u);
  for (const char* text :
       {"", "-1", "+1", "007", "0x10", "1_000", "1.0", "1e3", " 1", "1 ", "18446744073709551616"}) {
    EXPECT_FALSE(parse_integer(text)) << text;
  }
}

TEST(Scalar, Decimals) {
  EXPECT_EQ(parse_decimal("0.25"), 0.25);
  EXPECT_EQ(parse_decimal("1"), 1.0);
  for (const char* text : {"", ".5", "1.", "-0.1", "1e1", "00.5", "0.1.2", "nan", "0.x"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
}

TEST(Scalar, Durations) {
  EXPECT_EQ(parse_duration("0"), Duration(0));
  EXPECT_EQ(parse_duration("250ms"), Duration(250));
  EXPECT_EQ(parse_duration("30s"), Duration(30'000));
  EXPECT_EQ(parse_duration("5m"), Duration(300'000));
  EXPECT_EQ(parse_duration("1h"), Duration(3'600'000));
  for (const char* text : {"", "30", "s", "1.5s", "-1s", "01s", "1 s", "1S", "1d", "1us",
                           "99999999999999999h", "0x1s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Scalar, Sizes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("512"), 512u);
  EXPECT_EQ(parse_size("64KiB"), 65'536u);
  EXPECT_EQ(parse_size("10MiB"), 10'485'760u);
  EXPECT_EQ(parse_size("1GiB"), 1'073'741'824u);
  for (const char* text :
       {"", "KiB", "1KB", "1k", "1 KiB", "1kib", "01KiB", "1.5MiB", "-1", "99999999999TiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Scalar, FormatsReadBack) {
  for (const std::int64_t value : {0, 1, 999, 1000, 1500, 60'000, 61'000, 3'600'000, 90'000'000}) {
    EXPECT_EQ(parse_duration(format_duration(Duration(value))), Duration(value));
  }
  for (const std::uint64_t value :
       {0ULL, 1ULL, 1023ULL, 1024ULL, 1536ULL, 1ULL << 20, 3ULL << 40}) {
    EXPECT_EQ(parse_size(format_size(value)), value);
  }
  EXPECT_EQ(format_duration(Duration(90'000)), "90s");
  EXPECT_EQ(format_size(16'384), "16KiB");
  EXPECT_EQ(format_decimal(0.1), "0.1");
}

TEST(Scalar, SuggestsWhatWasMeant) {
  EXPECT_EQ(suggest_duration("30"), "30s");
  EXPECT_EQ(suggest_duration("5 min"), "5m");
  EXPECT_EQ(suggest_duration("2d"), "48h");
  EXPECT_EQ(suggest_duration("10S"), "10s");
  EXPECT_EQ(suggest_duration("soon"), "");
  EXPECT_EQ(suggest_size("10MB"), "10MiB");
  EXPECT_EQ(suggest_size("64k"), "64KiB");
  EXPECT_EQ(suggest_size("007"), "7");
  EXPECT_EQ(suggest_size("big"), "");
  EXPECT_EQ(suggest_integer("1_000"), "1000");
  EXPECT_EQ(suggest_integer("four"), "");
}

}  // namespace
}  // namespace servery
