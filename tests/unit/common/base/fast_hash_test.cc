#include "common/base/fast_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace servery {
namespace {

TEST(FastHash, TellsTextsApart) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  for (int i = 0; i < 20'000; ++i) {
    seen.insert(fast_hash("/files/" + std::to_string(i) + ".bin"));
    ++count;
  }
  for (std::size_t size = 0; size < 40; ++size) {
    seen.insert(fast_hash(std::string(size, '\0')));
    ++count;
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(FastHash, SpreadsOverTheLowBits) {
  constexpr std::size_t kBuckets = 64;
  std::size_t hits[kBuckets] = {};
  for (int i = 0; i < 6400; ++i) ++hits[fast_hash(std::to_string(i)) % kBuckets];
  for (const std::size_t n : hits) {
    EXPECT_GT(n, 50U);
    EXPECT_LT(n, 150U);
  }
}

TEST(FastHash, IsOfTheBytesNotOfTheirPlace) {
  const std::string text = "xxabcdefghijklm";
  EXPECT_EQ(fast_hash(std::string_view(text).substr(2)), fast_hash("abcdefghijklm"));
}

}  // namespace
}  // namespace servery
