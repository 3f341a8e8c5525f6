#include "common/loop/blocking_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace servery {
namespace {

class BlockingPoolTest : public testing::Test {
 protected:
  BlockingPoolTest() : loop_(std::move(*Loop::create())) {}

  void create(const BlockingPool::Options& options) {
    pool_ = std::move(*BlockingPool::create(*loop_, options));
  }
  BlockingPool::Job run(
      Lane lane, std::function<void()> work, std::function<void()> done = [] {}) {
    auto job = pool_->run(lane, std::move(work), std::move(done));
    EXPECT_TRUE(job) << job.error().text;
    return std::move(*job);
  }
  // A job that holds its thread until opened, and has started when this returns.
  struct Gate {
    std::promise<void> open;
    std::promise<void> started;
  };
  BlockingPool::Job hold(Lane lane, const std::shared_ptr<Gate>& gate) {
    auto job = run(lane, [gate] {
      gate->started.set_value();
      gate->open.get_future().wait();
    });
    gate->started.get_future().wait();
    return job;
  }

  std::unique_ptr<Loop> loop_;
  std::unique_ptr<BlockingPool> pool_;
};

TEST_F(BlockingPoolTest, WorkRunsElsewhereAndDoneOnTheLoop) {
  create({});
  const auto here = std::this_thread::get_id();
  std::thread::id worked;
  std::thread::id finished;
  auto job = run(
      Lane::kPath, [&worked] { worked = std::this_thread::get_id(); },
      [this, &finished] {
        finished = std::this_thread::get_id();
        loop_->stop();
      });
  EXPECT_TRUE(job);
  loop_->run();
  EXPECT_NE(worked, here);
  EXPECT_EQ(finished, here);
  EXPECT_FALSE(job) << "done";
  EXPECT_EQ(pool_->counts().running, 0U);
}

TEST_F(BlockingPoolTest, AFullQueueRefusesAndCounts) {
  create({.threads = 1, .queue = 2});
  const auto gate = std::make_shared<Gate>();
  const auto running = hold(Lane::kPath, gate);
  const auto first = run(Lane::kPath, [] {});
  const auto second = run(Lane::kBulk, [] {});
  const auto refused = pool_->run(
      Lane::kPath, [] {}, [] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kBusy);
  EXPECT_EQ(pool_->counts().queued, 2U);
  EXPECT_EQ(pool_->counts().running, 1U);
  EXPECT_EQ(pool_->counts().refused, 1U);
  gate->open.set_value();
}

TEST_F(BlockingPoolTest, ADetachedWaitingJobIsDroppedAndMakesRoom) {
  create({.threads = 1, .queue = 1});
  const auto gate = std::make_shared<Gate>();
  const auto running = hold(Lane::kPath, gate);
  std::atomic<bool> ran{false};
  {
    const auto dropped = run(Lane::kPath, [&ran] { ran = true; });
  }
  EXPECT_EQ(pool_->counts().queued, 0U);
  const auto next = run(
      Lane::kPath, [] {}, [this] { loop_->stop(); });
  gate->open.set_value();
  loop_->run();
  EXPECT_FALSE(ran);
}

TEST_F(BlockingPoolTest, ADetachedRunningJobFinishesUnobserved) {
  create({.threads = 1});
  const auto gate = std::make_shared<Gate>();
  const auto observed = std::make_shared<int>(0);
  auto finished = std::make_shared<std::atomic<bool>>(false);
  auto job = run(
      Lane::kPath,
      [gate, finished] {
        gate->started.set_value();
        gate->open.get_future().wait();
        *finished = true;
      },
      [observed] { FAIL() << "called after detaching"; });
  gate->started.get_future().wait();
  EXPECT_EQ(observed.use_count(), 2);
  job.detach();
  EXPECT_EQ(observed.use_count(), 1) << "what `done` holds is let go at once";
  const auto last = run(
      Lane::kPath, [] {}, [this] { loop_->stop(); });
  gate->open.set_value();
  loop_->run();
  EXPECT_TRUE(*finished);
}

TEST_F(BlockingPoolTest, OneLaneCannotTakeEveryThread) {
  create({.threads = 3});
  std::vector<std::shared_ptr<Gate>> gates;
  std::vector<BlockingPool::Job> jobs;
  for (int i = 0; i < 2; ++i) {
    gates.push_back(std::make_shared<Gate>());
    jobs.push_back(hold(Lane::kBulk, gates.back()));
  }
  std::atomic<bool> third_ran{false};
  jobs.push_back(run(Lane::kBulk, [&third_ran] { third_ran = true; }));
  jobs.push_back(run(
      Lane::kPath, [] {}, [this] { loop_->stop(); }));
  loop_->run();  // the path job came through
  EXPECT_FALSE(third_ran);
  EXPECT_EQ(pool_->counts().queued, 1U);
  jobs.push_back(run(Lane::kPath, [] {}));
  jobs[2] = run(
      Lane::kBulk, [] {}, [this] { loop_->stop(); });
  for (const auto& gate : gates) gate->open.set_value();
  loop_->run();
}

TEST_F(BlockingPoolTest, ALanesLimitMayBeSet) {
  create({.threads = 4, .lane_threads = {0, 1}});
  const auto gate = std::make_shared<Gate>();
  const auto running = hold(Lane::kBulk, gate);
  const auto waiting = run(
      Lane::kBulk, [] {}, [this] { loop_->stop(); });
  const auto path = run(
      Lane::kPath, [] {}, [this] { loop_->stop(); });
  loop_->run();
  EXPECT_EQ(pool_->counts().queued, 1U);
  gate->open.set_value();
  loop_->run();
  EXPECT_EQ(pool_->counts().queued, 0U);
}

TEST_F(BlockingPoolTest, EveryJobOfManyIsDoneOnce) {
  create({.threads = 4, .queue = 1000});
  constexpr int kJobs = 500;
  int done = 0;
  std::vector<BlockingPool::Job> jobs;
  std::atomic<int> worked{0};
  for (int i = 0; i < kJobs; ++i) {
    jobs.push_back(run(
        i % 2 == 0 ? Lane::kPath : Lane::kBulk, [&worked] { ++worked; },
        [this, &done] {
          if (++done == kJobs) loop_->stop();
        }));
  }
  loop_->run();
  EXPECT_EQ(worked, kJobs);
  for (const auto& job : jobs) EXPECT_FALSE(job);
}

TEST_F(BlockingPoolTest, ThePoolMayEndBeforeItsJobs) {
  create({.threads = 1});
  BlockingPool* pool = pool_.get();
  std::promise<void> started;
  std::promise<void> queued;
  std::atomic<bool> finished{false};
  const auto running = run(Lane::kPath, [pool, &started, &queued, &finished] {
    started.set_value();
    queued.get_future().wait();
    while (pool->counts().queued != 0) std::this_thread::yield();  // until the pool is ending
    finished = true;
  });
  started.get_future().wait();
  const auto waiting = run(Lane::kPath, [] { FAIL() << "dropped work ran"; });
  queued.set_value();
  pool_.reset();
  EXPECT_TRUE(finished) << "what runs is waited for";
  EXPECT_FALSE(running);
  EXPECT_FALSE(waiting);
}

TEST_F(BlockingPoolTest, DoneMayStartTheNextJobAndDetachOthers) {
  create({.threads = 2});
  BlockingPool::Job second;
  BlockingPool::Job first = run(
      Lane::kPath, [] {},
      [&] {
        second = run(
            Lane::kPath, [] {}, [this] { loop_->stop(); });
      });
  loop_->run();
  EXPECT_FALSE(first);
}

}  // namespace
}  // namespace servery
