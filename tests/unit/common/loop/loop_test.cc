#include "common/loop/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "common/loop/timer.h"

namespace servery {
namespace {

using testing::ElementsAre;

class LoopTest : public testing::Test {
 protected:
  LoopTest() : loop_(std::move(*Loop::create())) {}
  std::unique_ptr<Loop> loop_;
  std::vector<std::string> events_;
};

TEST_F(LoopTest, PostedTasksRunInOrderAndLater) {
  loop_->post([this] {
    events_.push_back("first");
    loop_->post([this] {
      events_.push_back("nested");
      loop_->stop();
    });
    events_.push_back("still first");
  });
  loop_->post([this] { events_.push_back("second"); });
  loop_->run();
  EXPECT_THAT(events_, ElementsAre("first", "still first", "second", "nested"));
}

TEST_F(LoopTest, AnyThreadMayPost) {
  constexpr int kThreads = 4;
  constexpr int kTasks = 250;
  int done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, &done] {
      for (int i = 0; i < kTasks; ++i) {
        loop_->post([this, &done] {
          if (++done == kThreads * kTasks) loop_->stop();
        });
      }
    });
  }
  loop_->run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kTasks);
}

TEST_F(LoopTest, ItRunsUntilStoppedAndAgain) {
  for (int i = 0; i < 2; ++i) {
    loop_->post([this, i] {
      events_.push_back(std::to_string(i));
      loop_->stop();
    });
    loop_->run();
  }
  EXPECT_THAT(events_, ElementsAre("0", "1"));
}

struct Noted {
  Noted(std::vector<std::string>& list, std::string text) : events(list), name(std::move(text)) {}
  ~Noted() {
    events.push_back("destroyed " + name);
    if (loop != nullptr) loop->destroy_later(std::make_unique<Noted>(events, "heir"));
  }
  std::vector<std::string>& events;
  std::string name;
  Loop* loop = nullptr;
};

TEST_F(LoopTest, TheDoomedDieAtTheEndOfTheTurnThatDoomedThem) {
  auto object = std::make_unique<Noted>(events_, "object");
  object->loop = loop_.get();
  Timer later(*loop_, [this] {
    events_.push_back("later turn");
    loop_->stop();
  });
  loop_->post([this, &object, &later] {
    loop_->destroy_later(std::move(object));
    later.start_once(Milliseconds(0));
    events_.push_back("callback ends");
  });
  loop_->run();
  EXPECT_THAT(events_,
              ElementsAre("callback ends", "destroyed object", "destroyed heir", "later turn"));
}

TEST_F(LoopTest, WhatIsDoomedWhenTheLoopEndsIsDestroyedToo) {
  loop_->destroy_later(std::make_unique<Noted>(events_, "object"));
  loop_.reset();
  EXPECT_THAT(events_, ElementsAre("destroyed object"));
}

class NotingHook final : public TurnHook {
 public:
  NotingHook(Loop& loop, std::vector<std::string>& events) : loop_(loop), events_(events) {
    loop_.add_turn_hook(*this);
  }
  ~NotingHook() override { loop_.remove_turn_hook(*this); }
  void on_turn_begin() override {
    events_.push_back("begin");
    begun_in = loop_.turn();
  }
  void on_turn_end() override {
    events_.push_back("end");
    ended_in = loop_.turn();
  }
  std::uint64_t begun_in = 0;
  std::uint64_t ended_in = 0;

 private:
  Loop& loop_;
  std::vector<std::string>& events_;
};

TEST_F(LoopTest, EveryTurnIsFramedAndHasItsOwnNumber) {
  NotingHook hook(*loop_, events_);
  std::uint64_t turn = 0;
  loop_->post([this, &turn, &hook] {
    events_.push_back("task");
    turn = loop_->turn();
    EXPECT_EQ(turn, hook.begun_in);
    loop_->destroy_later(std::make_unique<Noted>(events_, "object"));
    loop_->stop();
  });
  loop_->run();
  const auto task = std::find(events_.begin(), events_.end(), "task");
  ASSERT_NE(task, events_.end());
  EXPECT_EQ(*(task - 1), "begin");
  EXPECT_EQ(*(task + 1), "end");
  EXPECT_EQ(*(task + 2), "destroyed object") << "after the hooks";
  EXPECT_GT(loop_->turn(), turn);
}

TEST_F(LoopTest, ARemovedHookIsNotCalled) {
  { const NotingHook hook(*loop_, events_); }
  loop_->post([this] { loop_->stop(); });
  loop_->run();
  EXPECT_TRUE(events_.empty());
}

// libuv may poll again within one pass when a batch was full; then every event is its own turn.
TEST_F(LoopTest, AHugeBatchDoesNotShareOneTurn) {
  const std::uint64_t before = loop_->turn();
  for (int i = 0; i < 700; ++i) loop_->count_event();
  EXPECT_EQ(loop_->turn(), before);
  for (int i = 0; i < 324; ++i) loop_->count_event();
  const std::uint64_t late = loop_->turn();
  EXPECT_GT(late, before);
  loop_->count_event();
  EXPECT_EQ(loop_->turn(), late + 1);
}

TEST_F(LoopTest, NowFollowsTheSteadyClock) {
  loop_->post([this] { loop_->stop(); });
  const SteadyTime before = SystemClock().steady();
  loop_->run();
  const SteadyTime after = SystemClock().steady();
  EXPECT_GE(loop_->now() + Milliseconds(2), before);
  EXPECT_LE(loop_->now(), after + Milliseconds(1));
}

}  // namespace
}  // namespace servery
