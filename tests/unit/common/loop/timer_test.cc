#include "common/loop/timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace servery {
namespace {

class TimerTest : public testing::Test {
 protected:
  TimerTest() : loop_(std::move(*Loop::create())) {}
  std::unique_ptr<Loop> loop_;
};

TEST_F(TimerTest, EarlierDelaysExpireFirst) {
  std::vector<int> order;
  Timer late(*loop_, [&] {
    order.push_back(2);
    loop_->stop();
  });
  Timer early(*loop_, [&] { order.push_back(1); });
  late.start_once(Milliseconds(20));
  early.start_once(Milliseconds(1));
  loop_->run();
  EXPECT_THAT(order, testing::ElementsAre(1, 2));
  EXPECT_FALSE(late.is_active());
}

TEST_F(TimerTest, ARepeatingTimerRepeatsUntilStopped) {
  int count = 0;
  std::optional<Timer> timer;
  timer.emplace(*loop_, [&] {
    if (++count == 3) timer->stop();
  });
  Timer end(*loop_, [&] { loop_->stop(); });
  timer->start_repeating(Milliseconds(1));
  EXPECT_TRUE(timer->is_active());
  end.start_once(Milliseconds(50));
  loop_->run();
  EXPECT_EQ(count, 3);
}

TEST_F(TimerTest, StartingAgainReplacesTheFirstStart) {
  int count = 0;
  Timer timer(*loop_, [&] {
    ++count;
    loop_->stop();
  });
  timer.start_once(Milliseconds(1));
  timer.start_once(Milliseconds(5));
  loop_->run();
  EXPECT_EQ(count, 1);
}

TEST_F(TimerTest, ATimerMayDieInItsOwnCallback) {
  std::optional<Timer> timer;
  std::vector<int> captured{1, 2, 3};
  int seen = 0;
  timer.emplace(*loop_, [this, &timer, captured, &seen] {
    timer.reset();
    seen = captured[2];  // the callback outlives its timer
    loop_->stop();
  });
  timer->start_once(Milliseconds(0));
  loop_->run();
  EXPECT_EQ(seen, 3);
}

TEST_F(TimerTest, ADestroyedTimerDoesNotExpire) {
  bool expired = false;
  {
    Timer timer(*loop_, [&expired] { expired = true; });
    timer.start_once(Milliseconds(0));
  }
  Timer end(*loop_, [this] { loop_->stop(); });
  end.start_once(Milliseconds(5));
  loop_->run();
  EXPECT_FALSE(expired);
}

}  // namespace
}  // namespace servery
