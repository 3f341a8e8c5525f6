#include "worker/http/range.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

std::string choose(std::string_view value, std::uint64_t size = 10) {
  const RangeChoice choice = choose_range(value, size);
  switch (choice.kind) {
    case RangeChoice::Kind::kWhole:
      return "whole";
    case RangeChoice::Kind::kUnsatisfiable:
      return "416";
    case RangeChoice::Kind::kPart:
      break;
  }
  return std::to_string(choice.first) + "-" + std::to_string(choice.last) + ":" +
         std::to_string(choice.length());
}

TEST(Range, SelectsAndClamps) {  // RFC 9110 14.1.2
  EXPECT_EQ(choose("bytes=0-4"), "0-4:5");
  EXPECT_EQ(choose("bytes=0-0"), "0-0:1");
  EXPECT_EQ(choose("bytes=3-"), "3-9:7");
  EXPECT_EQ(choose("bytes=0-99"), "0-9:10");
  EXPECT_EQ(choose("bytes=9-9"), "9-9:1");
  EXPECT_EQ(choose("Bytes=0-4"), "0-4:5");
  EXPECT_EQ(choose("bytes=00-04"), "0-4:5");
  EXPECT_EQ(choose("bytes= 0-4 , "), "0-4:5");
}

TEST(Range, SuffixCountsFromTheEnd) {
  EXPECT_EQ(choose("bytes=-3"), "7-9:3");
  EXPECT_EQ(choose("bytes=-10"), "0-9:10");
  EXPECT_EQ(choose("bytes=-99"), "0-9:10");
  EXPECT_EQ(choose("bytes=-0"), "416");
}

TEST(Range, UnsatisfiableBeyondTheEnd) {
  EXPECT_EQ(choose("bytes=10-"), "416");
  EXPECT_EQ(choose("bytes=10-20"), "416");
}

TEST(Range, NumbersOfAnyLengthNeverWrap) {
  EXPECT_EQ(choose("bytes=18446744073709551616-"), "416");
  EXPECT_EQ(choose("bytes=0-18446744073709551616"), "0-9:10");
  EXPECT_EQ(choose("bytes=-18446744073709551616"), "0-9:10");
  EXPECT_EQ(choose("bytes=18446744073709551615-18446744073709551615"), "416");
  EXPECT_EQ(choose("bytes=0-18446744073709551615", ~std::uint64_t{0}),
            "0-18446744073709551614:18446744073709551615");
}

TEST(Range, MalformedOrOtherUnitIsIgnored) {  // RFC 9110 14.2
  for (const char* value : {"", "asdf", "items=0-4", "bytes", "bytes 0-4", "bytes=", "bytes=-",
                            "bytes=4-2", "bytes=a-b", "bytes=--1", "bytes=0-1-2", "bytes=0x0-0x4",
                            "bytes=0 -4", "bytes=+1-2", "bytes=1"}) {
    EXPECT_EQ(choose(value), "whole") << value;
  }
}

TEST(Range, SeveralRangesAreIgnored) {
  EXPECT_EQ(choose("bytes=0-0,-2"), "whole");
  EXPECT_EQ(choose("bytes=0-,1-,2-"), "whole");
}

TEST(Range, AnyRangeOfNothingIsIgnored) {
  EXPECT_EQ(choose("bytes=0-", 0), "whole");
  EXPECT_EQ(choose("bytes=-1", 0), "whole");
}

}  // namespace
}  // namespace servery::http
