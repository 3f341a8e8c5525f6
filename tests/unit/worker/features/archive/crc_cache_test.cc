#include "worker/features/archive/crc_cache.h"

#include <gtest/gtest.h>

namespace servery::archive {
namespace {

TEST(CrcCache, KnowsOneStateOfAFile) {
  CrcCache cache(10);
  const files::FileIdentity file{1, 2, 3, 4, 5};
  cache.keep(file, 77);
  EXPECT_EQ(cache.find(file), 77U);
  EXPECT_FALSE(cache.find({9, 2, 3, 4, 5}));
  EXPECT_FALSE(cache.find({1, 9, 3, 4, 5}));
  EXPECT_FALSE(cache.find({1, 2, 9, 4, 5}));
  EXPECT_FALSE(cache.find({1, 2, 3, 9, 5}));
  EXPECT_FALSE(cache.find({1, 2, 3, 4, 9}));
}

TEST(CrcCache, ForgetsTheOldest) {
  CrcCache cache(2);
  for (std::uint64_t i = 0; i < 3; ++i) cache.keep({.inode = i}, static_cast<std::uint32_t>(i));
  cache.keep({.inode = 2}, 2);  // again: takes no second place
  EXPECT_FALSE(cache.find({.inode = 0}));
  EXPECT_EQ(cache.find({.inode = 1}), 1U);
  EXPECT_EQ(cache.find({.inode = 2}), 2U);
}

}  // namespace
}  // namespace servery::archive
