#include "worker/body/slice_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/support/handler_probe.h"

namespace servery::body {
namespace {

constexpr http::Refusal kBusy{503, "busy"};

class SliceTaskTest : public testing::Test {
 protected:
  test::HandlerProbe probe(std::function<bool()> slice) {
    return {*loop_, test::ProbeRequest{}, [this, slice](http::Exchange& exchange) {
              SliceTask::run(exchange, *pool_, kBusy, slice, [this, &exchange] {
                ++done_;
                exchange.respond({204, {}}, nullptr);
              });
            }};
  }

  // Before the pool, whose threads use them until it ends.
  std::promise<void> started_;
  std::promise<void> release_;
  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<BlockingPool> pool_ =
      BlockingPool::create(*loop_, {.threads = 1, .queue = 1}).value();
  int done_ = 0;
};

TEST_F(SliceTaskTest, RunsSlicesUntilTheLast) {
  std::atomic<int> slices = 0;
  auto request = probe([&slices] { return ++slices < 3; });
  EXPECT_EQ(request.run().status, 204);
  EXPECT_EQ(slices, 3);
  EXPECT_EQ(done_, 1);
}

TEST_F(SliceTaskTest, AClientThatLeavesEndsTheWork) {
  std::atomic<int> slices = 0;
  auto request = probe([&slices] {
    ++slices;
    return true;
  });
  request.start_and_leave();
  pool_.reset();  // waits for the slice at hand
  EXPECT_LE(slices, 1);
  EXPECT_EQ(done_, 0);
}

TEST_F(SliceTaskTest, AFullPoolIsSaidSo) {
  auto running = pool_->run(
      Lane::kBulk,
      [this] {
        started_.set_value();
        release_.get_future().wait();
      },
      [] {});
  started_.get_future().wait();
  auto waiting = pool_->run(
      Lane::kBulk, [] {}, [] {});
  auto request = probe([] { return false; });
  EXPECT_EQ(request.run().status, 503);
  EXPECT_EQ(done_, 0);
  release_.set_value();
}

}  // namespace
}  // namespace servery::body
