#include "worker/body/produced_source.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "tests/support/handler_probe.h"

namespace servery::body {
namespace {

using Outcome = Producer::Outcome;

struct Step {
  std::string bytes;
  Outcome outcome;
};

class ScriptedProducer final : public Producer {
 public:
  explicit ScriptedProducer(std::vector<Step> steps) : steps_(std::move(steps)) {}
  Outcome produce(std::string& into) override {
    if (calls >= steps_.size()) {
      ++calls;
      return Outcome::kFailed;  // called too often
    }
    const Step& step = steps_[calls++];
    into += step.bytes;
    return step.outcome;
  }
  std::atomic<std::size_t> calls{0};  // the pool makes, the test looks

 private:
  std::vector<Step> steps_;
};

class ProducedSourceTest : public testing::Test {
 protected:
  // The answer of a body made by `steps`.
  test::HandlerProbe& probe(std::vector<Step> steps, unsigned queue = 16) {
    pool_ = BlockingPool::create(*loop_, {.threads = 1, .queue = queue}).value();
    producer_ = std::make_shared<ScriptedProducer>(std::move(steps));
    probe_ = std::make_unique<test::HandlerProbe>(
        *loop_, test::ProbeRequest{}, [this](http::Exchange& exchange) {
          exchange.respond({200, {}}, std::make_unique<ProducedSource>(*loop_, *pool_, producer_,
                                                                       std::nullopt, hold_));
        });
    return *probe_;
  }

  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<BlockingPool> pool_;
  std::shared_ptr<ScriptedProducer> producer_;
  std::shared_ptr<int> hold_ = std::make_shared<int>(0);
  std::unique_ptr<test::HandlerProbe> probe_;
};

TEST_F(ProducedSourceTest, GivesThePiecesInOrder) {
  const auto answer =
      probe({{"one ", Outcome::kMore}, {"two ", Outcome::kMore}, {"three", Outcome::kEnd}}).run();
  EXPECT_EQ(answer.body, "one two three");
  EXPECT_FALSE(answer.is_broken);
  EXPECT_EQ(producer_->calls.load(), 3U);
}

TEST_F(ProducedSourceTest, AnEmptyPieceIsOnlyTheEndOfATimeSlice) {
  const auto answer =
      probe(
          {{"", Outcome::kMore}, {"a", Outcome::kMore}, {"", Outcome::kMore}, {"", Outcome::kEnd}})
          .run();
  EXPECT_EQ(answer.body, "a");
  EXPECT_FALSE(answer.is_broken);
}

TEST_F(ProducedSourceTest, AFailureEndsTheBodyAsBrokenAfterWhatWasMade) {
  const auto answer = probe({{"begin", Outcome::kMore}, {"half", Outcome::kFailed}}).run();
  EXPECT_EQ(answer.body, "beginhalf");
  EXPECT_TRUE(answer.is_broken);
}

TEST_F(ProducedSourceTest, MakesOnePieceAheadOfAClientThatDoesNotRead) {
  std::vector<Step> steps(100, Step{"0123456789", Outcome::kMore});
  steps.push_back({"", Outcome::kEnd});
  auto& client = probe(std::move(steps));
  client.run_until_head();
  ASSERT_EQ(client.pull_some(5), 5U);
  ASSERT_EQ(client.pull_some(5), 5U);  // the second piece was begun with the first one's first byte
  ASSERT_EQ(client.pull_some(1), 1U);
  EXPECT_LE(producer_->calls.load(), 3U);
  client.leave();
}

TEST_F(ProducedSourceTest, BytesCanBeTakenBack) {
  auto& client = probe({{"0123456789", Outcome::kEnd}});
  client.run_until_head();
  ASSERT_EQ(client.pull_some(6), 6U);
  ASSERT_TRUE(client.take_back(4));
  ASSERT_EQ(client.pull_some(100), 8U);
  EXPECT_EQ(client.pull_some(100), 0U);
  EXPECT_EQ(client.answer().body, "0123456789");
}

TEST_F(ProducedSourceTest, WhatItHoldsIsGivenBackWhenTheClientLeaves) {
  auto& client = probe({{"0123456789", Outcome::kMore}, {"", Outcome::kEnd}});
  client.run_until_head();
  ASSERT_EQ(client.pull_some(1), 1U);
  EXPECT_EQ(hold_.use_count(), 2);
  client.leave();
  EXPECT_EQ(hold_.use_count(), 1);
}

}  // namespace
}  // namespace servery::body
