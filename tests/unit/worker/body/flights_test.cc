#include "worker/body/flights.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace servery::body {
namespace {

class FlightsTest : public testing::Test {
 protected:
  using Task = std::unique_ptr<http::ExchangeTask>;

  // Holds the only thread until let_go() is called.
  void hold_thread() {
    auto gate = std::make_shared<std::future<void>>(gate_.get_future());
    std::promise<void> holding;
    auto held = holding.get_future();
    holder_ = pool_
                  ->run(
                      Lane::kBulk, [gate, &holding] { holding.set_value(), gate->wait(); }, [] {})
                  .value();
    held.wait();
  }
  void let_go() { gate_.set_value(); }

  Result<Task> join(const std::string& key) {
    return flights_.join(
        key, [this](int& outcome, const std::atomic<bool>&) { outcome = ++runs_; },
        [this](int& outcome) {
          heard_ += std::to_string(outcome);
          if (heard_.size() == awaited_) loop_->stop();
        });
  }

  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<BlockingPool> pool_ =
      BlockingPool::create(*loop_, {.threads = 1, .queue = 2}).value();
  Flights<int> flights_{*pool_, Lane::kBulk};
  std::promise<void> gate_;
  BlockingPool::Job holder_;
  std::atomic<int> runs_ = 0;
  std::string heard_;
  std::size_t awaited_ = 0;
};

TEST_F(FlightsTest, OneKeyRunsOnceForAll) {
  hold_thread();
  const Task first = join("a").value();
  const Task second = join("a").value();
  const Task other = join("b").value();
  EXPECT_EQ(flights_.started(), 2U);
  EXPECT_EQ(flights_.joined(), 1U);
  awaited_ = 3;
  let_go();
  loop_->run();
  EXPECT_EQ(heard_, "112");
  EXPECT_EQ(flights_.size(), 0U);
}

TEST_F(FlightsTest, NothingIsKept) {
  awaited_ = 1;
  const Task first = join("a").value();
  loop_->run();
  awaited_ = 2;
  const Task second = join("a").value();
  loop_->run();
  EXPECT_EQ(heard_, "12");
}

TEST_F(FlightsTest, WhoLeavesHearsNothingAndTheLastOneCancels) {
  hold_thread();
  Task first = join("a").value();
  Task second = join("a").value();
  const Task other = join("b").value();
  first.reset();
  EXPECT_EQ(flights_.size(), 2U);
  second.reset();
  EXPECT_EQ(flights_.size(), 1U);
  awaited_ = 1;
  let_go();
  loop_->run();
  EXPECT_EQ(runs_, 1) << "the work nobody waits for is dropped";
}

TEST_F(FlightsTest, AFullQueueRefusesNewKeysOnly) {
  hold_thread();
  const Task first = join("a").value();
  const Task second = join("b").value();
  const auto third = join("c");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Errc::kBusy);
  EXPECT_TRUE(join("a"));
  awaited_ = 2;
  let_go();
  loop_->run();
  EXPECT_EQ(flights_.size(), 0U);
}

}  // namespace
}  // namespace servery::body
