#include "supervisor/generation.h"

#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GenerationTest : public test::FleetFixture {};

TEST_F(GenerationTest, IsPreparedWhenEveryWorkerIsAndServesWhenTold) {
  Plan plan = plan_for(2);
  ASSERT_TRUE(listeners.prepare(plan, 2).has_value());
  Generation& generation = add(plan);
  generation.start();
  EXPECT_EQ(generation.state(), Generation::State::kStarting);
  run_until([&] { return !prepared.empty(); });
  EXPECT_EQ(generation.ready_workers(), 0U) << "prepared is not ready";
  ASSERT_TRUE(listeners.commit().has_value());
  generation.serve();
  run_until([&] { return generation.all_slots_ready(); });
  EXPECT_EQ(generation.ready_workers(), 2U);
  EXPECT_THAT(prepared, ElementsAre(generation.id()));
}

TEST_F(GenerationTest, FailsInTheWordsOfItsWorker) {
  add(plan_for(2, "refuse")).start();
  run_until([&] { return !gone.empty(); });
  EXPECT_THAT(failures, ElementsAre("refused as told"));
  EXPECT_EQ(count(Metric::kWorkerStarts), 2U) << "a reload is not retried";
}

TEST_F(GenerationTest, NamesAWorkerThatEndsWithoutAWord) {
  add(plan_for(1, "die")).start();
  run_until([&] { return !gone.empty(); });
  EXPECT_THAT(failures, ElementsAre("worker 0 ended before it was ready (code 0)"));
}

TEST_F(GenerationTest, FirstStartTriesAgainUpToTheLimit) {
  Plan plan = plan_for(1, "refuse");
  plan.runtime.restart.limit = 3;
  add(plan, true).start();
  run_until([&] { return !gone.empty(); });
  EXPECT_THAT(failures, ElementsAre("refused as told (worker 0, 3 attempts)"));
  EXPECT_EQ(count(Metric::kWorkerStarts), 3U);
}

TEST_F(GenerationTest, AbortedItLeavesWithoutAFailure) {
  Generation& generation = add(plan_for(2));
  generation.start();
  generation.abort();
  run_until([&] { return !gone.empty(); });
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(GenerationTest, KillsAWorkerThatHasNoHeartbeat) {
  Plan plan = plan_for(1);
  plan.runtime.heartbeat = {Milliseconds(100), Milliseconds(150), Milliseconds(200)};
  Generation& generation = serve(plan);
  ::kill(generation.worker_of(0)->pid(), SIGSTOP);
  run_until([&] { return histories[0].last_exit.has_value(); });
  EXPECT_EQ(histories[0].last_exit->reason, ExitReason::kHung);
  run_until([&] { return generation.all_slots_ready(); });
}

TEST_F(GenerationTest, DrainsAndIsGone) {
  Generation& generation = serve(plan_for(2));
  const std::uint64_t id = generation.id();
  generation.drain(clock.steady() + Milliseconds(10'000), true);
  EXPECT_EQ(generation.state(), Generation::State::kDraining);
  run_until([&] { return !gone.empty(); });
  EXPECT_THAT(gone, ElementsAre(id));
  EXPECT_FALSE(was_forced);
  EXPECT_EQ(histories[0].last_exit->reason, ExitReason::kDrained);
}

TEST_F(GenerationTest, EndsAtTheDeadlineWhateverItsWorkersDo) {
  Generation& generation = serve(plan_for(1, "busy"));
  generation.drain(clock.steady() + Milliseconds(3'600'000), true);
  generation.drain(clock.steady() + Milliseconds(20), false);        // sooner
  generation.drain(clock.steady() + Milliseconds(3'600'000), true);  // never later
  run_until([&] { return !gone.empty(); });
  EXPECT_TRUE(was_forced);
}

TEST_F(GenerationTest, ARootThatIsGoneIsNamed) {
  Plan plan = plan_for(1);
  plan.roots = {"/nowhere/at/all"};
  auto inputs = ipc::seal_text("test-inputs", "");
  histories.emplace_back(restart_settings(plan));
  const auto generation = Generation::create({parts, listeners, histories, [] { return 0.5; }}, 1,
                                             plan, std::move(*inputs), false, *this);
  ASSERT_FALSE(generation.has_value());
  EXPECT_THAT(generation.error().text, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace servery
