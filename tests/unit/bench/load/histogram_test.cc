#include "bench/load/histogram.h"

#include <gtest/gtest.h>

namespace servery::bench {
namespace {

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.percentile(0.99), 0U);
}

TEST(Histogram, FindsPercentilesWithinABucket) {
  Histogram histogram;
  for (std::uint64_t us = 1; us <= 1000; ++us) histogram.add(us * 1000);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(0.5)), 500'000, 500'000 * 0.016);
  EXPECT_NEAR(static_cast<double>(histogram.percentile(0.99)), 990'000, 990'000 * 0.016);
  EXPECT_EQ(histogram.percentile(1), 1'000'000U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 500'500);
}

TEST(Histogram, KeepsSmallValuesExactly) {
  Histogram histogram;
  for (std::uint64_t value : {1U, 2U, 2U, 63U}) histogram.add(value);
  EXPECT_EQ(histogram.percentile(0.25), 1U);
  EXPECT_EQ(histogram.percentile(0.75), 2U);
  EXPECT_EQ(histogram.percentile(1), 63U);
}

TEST(Histogram, TakesAnyValue) {
  Histogram histogram;
  histogram.add(0);
  histogram.add(~std::uint64_t{0});
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(histogram.max(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace servery::bench
