#include "worker/access/verified_cache.h"

#include <gtest/gtest.h>

namespace servery::access {
namespace {

constexpr SteadyTime kStart{std::chrono::hours(1)};

TEST(VerifiedCache, KnowsForItsLifetime) {
  VerifiedCache cache;
  EXPECT_EQ(cache.find({1, 2}, kStart), std::nullopt);
  EXPECT_EQ(cache.find({0, 0}, kStart), std::nullopt) << "an empty place is nobody";
  cache.insert({1, 2}, 7, kStart);
  EXPECT_EQ(cache.find({1, 2}, kStart), 7U);
  EXPECT_EQ(cache.find({1, 3}, kStart), std::nullopt);
  EXPECT_EQ(cache.find({1, 2}, kStart + VerifiedCache::kLifetime - Milliseconds(1)), 7U);
  EXPECT_EQ(cache.find({1, 2}, kStart + VerifiedCache::kLifetime), std::nullopt);
}

TEST(VerifiedCache, IsOfFixedSizeAndTheOldestMakesRoom) {
  VerifiedCache cache;
  constexpr std::uint64_t kMany = 10'000;
  for (std::uint64_t i = 1; i <= kMany; ++i) {
    cache.insert({i, i}, static_cast<std::uint32_t>(i), kStart + Milliseconds(i));
  }
  const SteadyTime later = kStart + Milliseconds(kMany);
  std::uint64_t known = 0;
  for (std::uint64_t i = 1; i <= kMany; ++i) known += cache.find({i, i}, later) ? 1 : 0;
  EXPECT_EQ(known, 1024U);
  EXPECT_EQ(cache.find({kMany, kMany}, later), kMany);
}

}  // namespace
}  // namespace servery::access
