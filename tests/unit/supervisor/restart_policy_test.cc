#include "supervisor/restart_policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace servery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kNoJitter = 0.5;

class RestartPolicyTest : public testing::Test {
 protected:
  std::int64_t end_after(milliseconds passed, double random = kNoJitter) {
    now_ += passed;
    return policy_.on_end(now_, random).count();
  }
  void ready() { policy_.on_ready(now_); }

  SteadyTime now_{seconds(1000)};
  RestartPolicy policy_{RestartPolicy::Settings{}};
};

TEST_F(RestartPolicyTest, TheFirstIsImmediateThenTheDelayDoubles) {
  policy_.set_settings({.limit = 0});
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 12; ++i) delays.push_back(end_after(milliseconds(1)));
  EXPECT_EQ(delays, (std::vector<std::int64_t>{0, 100, 200, 400, 800, 1600, 3200, 6400, 12800,
                                               25600, 30000, 30000}));
}

TEST_F(RestartPolicyTest, JitterIsAtMostAFifth) {
  end_after(milliseconds(1));
  EXPECT_EQ(end_after(milliseconds(1), 0.0), 80);
  EXPECT_EQ(end_after(milliseconds(1), 1.0), 240);
}

TEST_F(RestartPolicyTest, ABackoffOfZeroStaysZero) {
  policy_.set_settings({.backoff_initial = milliseconds(0), .limit = 0});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(end_after(milliseconds(1)), 0);
}

TEST_F(RestartPolicyTest, AMinuteOfHealthStartsAgainFromImmediate) {
  end_after(milliseconds(1));
  EXPECT_EQ(end_after(milliseconds(1)), 100);
  ready();
  EXPECT_EQ(end_after(milliseconds(59'999)), 200) << "not yet healthy";
  ready();
  EXPECT_EQ(end_after(milliseconds(60'000)), 0);
  EXPECT_EQ(end_after(milliseconds(1)), 100);
}

TEST_F(RestartPolicyTest, MoreThanLimitEndsWithinTheWindowIsACrashLoop) {
  for (int i = 0; i < 5; ++i) end_after(milliseconds(1));
  EXPECT_FALSE(policy_.in_crash_loop(now_)) << "limit ends are allowed";
  EXPECT_EQ(end_after(milliseconds(1)), 30'000) << "retried at backoff_max only";
  EXPECT_TRUE(policy_.in_crash_loop(now_));
  ready();
  EXPECT_TRUE(policy_.in_crash_loop(now_)) << "ready is not yet healthy";
  EXPECT_EQ(end_after(seconds(59)), 30'000);
  ready();
  now_ += seconds(60);
  EXPECT_FALSE(policy_.in_crash_loop(now_));
  EXPECT_EQ(end_after(milliseconds(0)), 0);
}

TEST_F(RestartPolicyTest, EndsOutsideTheWindowDoNotCount) {
  for (int i = 0; i < 20; ++i) end_after(seconds(13));  // never six within a minute
  EXPECT_FALSE(policy_.in_crash_loop(now_));
}

TEST_F(RestartPolicyTest, LimitZeroNeverLoops) {
  policy_.set_settings({.limit = 0});
  for (int i = 0; i < 100; ++i) end_after(milliseconds(1));
  EXPECT_FALSE(policy_.in_crash_loop(now_));
  EXPECT_FALSE(policy_.first_start_failed());
}

TEST_F(RestartPolicyTest, AFirstStartFailsAfterLimitBootFailures) {
  for (int i = 0; i < 4; ++i) end_after(milliseconds(1));
  EXPECT_FALSE(policy_.first_start_failed());
  end_after(milliseconds(1));
  EXPECT_TRUE(policy_.first_start_failed());
}

TEST_F(RestartPolicyTest, ASlotThatWasReadyOnceIsNotAFirstStart) {
  ready();
  for (int i = 0; i < 10; ++i) end_after(milliseconds(1));
  EXPECT_FALSE(policy_.first_start_failed());
}

TEST_F(RestartPolicyTest, WhatIsForgivenCountsFromZero) {
  for (int i = 0; i < 6; ++i) end_after(milliseconds(1));
  EXPECT_TRUE(policy_.in_crash_loop(now_));
  policy_.forgive();
  EXPECT_FALSE(policy_.in_crash_loop(now_));
  EXPECT_EQ(end_after(milliseconds(1)), 0) << "the first replacement is immediate";
  EXPECT_EQ(end_after(milliseconds(1)), 100);
}

TEST_F(RestartPolicyTest, NewSettingsKeepTheHistory) {
  for (int i = 0; i < 3; ++i) end_after(milliseconds(1));
  policy_.set_settings({.backoff_initial = milliseconds(1000), .limit = 3});
  EXPECT_EQ(end_after(milliseconds(1)), 30'000);
  EXPECT_TRUE(policy_.in_crash_loop(now_));
  policy_.set_settings({.limit = 0});
  EXPECT_FALSE(policy_.in_crash_loop(now_)) << "limit 0 ends it";
}

}  // namespace
}  // namespace servery
