#include "worker/turn_clock.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(TurnClock, StandsStillWithinATurnAndGoesOnAfter) {
  auto loop = std::move(*Loop::create());
  const TurnClock clock(*loop);
  WallTime first{};
  WallTime again{};
  WallTime later{};
  loop->post([&] {
    first = clock.wall();
    while (SystemClock().wall() == first) continue;
    again = clock.wall();
    loop->post([&] {
      later = clock.wall();
      loop->stop();
    });
  });
  loop->run();
  EXPECT_EQ(first, again);
  EXPECT_GT(later, first);
  EXPECT_EQ(clock.steady(), loop->now());
}

}  // namespace
}  // namespace servery
