#include "worker/access/failure_throttle.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::access {
namespace {

using Answer = FailureThrottle::Answer;

class FailureThrottleTest : public testing::Test {
 protected:
  Answer count(std::string_view client) { return throttle.count(client, now); }
  // Counts until it is refused.
  int burst_of(std::string_view client) {
    int counted = 0;
    while (counted < 1000 && count(client) == Answer::kGo) ++counted;
    return counted;
  }

  KeyedDigest digest{ContentHash::Key{1, 2}};
  FailureThrottle throttle{digest};
  SteadyTime now{std::chrono::hours(1)};
};

TEST_F(FailureThrottleTest, TenAtOnceThenOneInSixSeconds) {
  EXPECT_EQ(burst_of("192.0.2.1"), FailureThrottle::kBurst);
  EXPECT_EQ(count("192.0.2.1"), Answer::kRefused) << "told once";
  now += FailureThrottle::kRefill;
  EXPECT_EQ(count("192.0.2.1"), Answer::kGo);
  EXPECT_EQ(count("192.0.2.1"), Answer::kFirstRefused) << "a new row";
  EXPECT_EQ(count("192.0.2.2"), Answer::kGo) << "another client";
  now += FailureThrottle::kRefill * 100;
  EXPECT_EQ(burst_of("192.0.2.1"), FailureThrottle::kBurst);
}

TEST_F(FailureThrottleTest, WhatWasRightDoesNotCount) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(count("192.0.2.1"), Answer::kGo);
    throttle.give_back("192.0.2.1");
  }
}

TEST_F(FailureThrottleTest, AnIpv6ClientHasItsWholeNetwork) {
  EXPECT_EQ(burst_of("2001:db8:0:1::1"), FailureThrottle::kBurst);
  EXPECT_EQ(count("2001:db8:0:1:ffff::2"), Answer::kRefused);
  EXPECT_EQ(count("2001:db8:0:2::1"), Answer::kGo);
}

TEST_F(FailureThrottleTest, ClientsOfAUnixSocketAreNotToldApart) { EXPECT_EQ(burst_of(""), 1000); }

TEST_F(FailureThrottleTest, ManyClientsDoNotMakeItForgetTheWorst) {
  EXPECT_EQ(burst_of("192.0.2.1"), FailureThrottle::kBurst);
  for (int i = 0; i < 100'000; ++i) count("2001:db8:" + std::to_string(i % 10'000) + "::");
  EXPECT_EQ(count("192.0.2.1"), Answer::kRefused);
}

}  // namespace
}  // namespace servery::access
