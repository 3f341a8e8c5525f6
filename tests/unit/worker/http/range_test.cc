#include "worker/http/range.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

std::string choose(std::string_view value, std::uint64_t size = 10) {
  const RangeChoice choice = choose_range(value, size);
  if (choice.kind == RangeChoice::Kind::kWhole) return "whole";
  if (choice.kind == RangeChoice::Kind::kUnsatisfiable) return "416";
  std::string text;
  for (const ByteRange& part : choice.parts) {
    if (!text.empty()) text += ' ';
    text += std::to_string(part.first) + "-" + std::to_string(part.last);
    text += ":" + std::to_string(part.length());
  }
  return text;
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

TEST(Range, SeveralKeepTheirOrder) {  // RFC 9110 15.3.7.2
  EXPECT_EQ(choose("bytes=0-0,-2"), "0-0:1 8-9:2");
  EXPECT_EQ(choose("bytes=8-9,0-1,4-5"), "8-9:2 0-1:2 4-5:2");
  EXPECT_EQ(choose("bytes=0-1,4-5,8-"), "0-1:2 4-5:2 8-9:2");
}

TEST(Range, OverlappingAndAdjacentOnesAreJoined) {
  EXPECT_EQ(choose("bytes=0-4,2-6"), "0-6:7");
  EXPECT_EQ(choose("bytes=1-2,3-5"), "1-5:5");
  EXPECT_EQ(choose("bytes=3-5,1-2"), "1-5:5");
  EXPECT_EQ(choose("bytes=0-,1-,2-,3-,4-"), "0-9:10");
  EXPECT_EQ(choose("bytes=2-2,2-2,2-2"), "2-2:1");
  EXPECT_EQ(choose("bytes=8-9,0-0,4-4,1-3"), "8-9:2 0-4:5");  // where the first of them stood
  EXPECT_EQ(choose("bytes=0-1,3-4,6-7,2-5"), "0-7:8");
  EXPECT_EQ(choose("bytes=0-9,0-18446744073709551615"), "0-9:10");
}

TEST(Range, UnsatisfiableOnesAreLeftOut) {
  EXPECT_EQ(choose("bytes=0-1,99-"), "0-1:2");
  EXPECT_EQ(choose("bytes=99-,-0,5-6"), "5-6:2");
  EXPECT_EQ(choose("bytes=10-,20-,-0"), "416");
}

TEST(Range, OneMalformedSpoilsAll) {
  EXPECT_EQ(choose("bytes=0-1,x"), "whole");
  EXPECT_EQ(choose("bytes=0-1,5-4"), "whole");
}

TEST(Range, TooManyAreIgnored) {  // RFC 9110 17.15
  std::string value = "bytes=0-0";
  for (std::size_t i = 1; i < kMostRanges; ++i)
    value += "," + std::to_string(2 * i) + "-" + std::to_string(2 * i);
  EXPECT_EQ(choose_range(value, 1000).parts.size(), kMostRanges);
  EXPECT_EQ(choose(value + ",999-", 1000), "whole");
  std::string same = "bytes=";
  for (std::size_t i = 0; i <= kMostRanges; ++i) same += "0-0,";
  EXPECT_EQ(choose(same), "whole");  // joined or not
}

TEST(Range, AnyRangeOfNothingIsIgnored) {
  EXPECT_EQ(choose("bytes=0-", 0), "whole");
  EXPECT_EQ(choose("bytes=-1", 0), "whole");
}

TEST(Range, ContentRange) {  // RFC 9110 14.4
  EXPECT_EQ(content_range({0, 4}, 10), "bytes 0-4/10");
  EXPECT_EQ(content_range({4294967296, 4294967298}, 5368709120),
            "bytes 4294967296-4294967298/5368709120");
  EXPECT_EQ(unsatisfied_range(10), "bytes */10");
}

}  // namespace
}  // namespace servery::http
