#include "supervisor/adoption.h"

#include <csignal>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

class AdoptionTest : public test::FleetFixture {};

TEST_F(AdoptionTest, LendsTheSocketOfADeadWorkerUntilItsSuccessorIsReady) {
  Generation& generation = serve(plan_for(2));
  const pid_t killed = generation.worker_of(0)->pid();
  ::kill(killed, SIGKILL);
  run_until([&] { return generation.is_lent(0); });
  EXPECT_EQ(generation.borrower_slot(0), 1U);
  EXPECT_EQ(generation.acceptor_of(0), generation.worker_of(1));
  run_until([&] { return generation.all_slots_ready() && !generation.is_lent(0); });
  EXPECT_NE(generation.worker_of(0)->pid(), killed);
  EXPECT_EQ(histories[0].restarts, 1U);
  EXPECT_EQ(histories[0].last_exit->reason, ExitReason::kKilled);
}

TEST_F(AdoptionTest, StartsASpareWhileNobodyIsHealthy) {
  Plan plan = plan_for(1);
  plan.runtime.restart.backoff_initial = plan.runtime.restart.backoff_max = Milliseconds(3'600'000);
  Generation& generation = serve(plan);
  ::kill(generation.worker_of(0)->pid(), SIGKILL);
  run_until([&] { return histories[0].restarts == 1 && generation.all_slots_ready(); });
  ::kill(generation.worker_of(0)->pid(), SIGKILL);  // the second end waits for an hour
  run_until([&] { return generation.borrower_slot(0) == ipc::kSpareSlot; });
  EXPECT_EQ(generation.worker_of(0), nullptr);
  EXPECT_EQ(generation.ready_workers(), 1U);
  EXPECT_EQ(count(Metric::kSpares), 1U);
}

TEST_F(AdoptionTest, TheSpareLeavesOnceAnOwnerIsBack) {
  Plan plan = plan_for(1);
  plan.runtime.restart.backoff_initial = plan.runtime.restart.backoff_max = Milliseconds(300);
  Generation& generation = serve(plan);
  ::kill(generation.worker_of(0)->pid(), SIGKILL);
  run_until([&] { return histories[0].restarts == 1 && generation.all_slots_ready(); });
  ::kill(generation.worker_of(0)->pid(), SIGKILL);
  run_until([&] { return generation.borrower_slot(0) == ipc::kSpareSlot; });
  run_until([&] { return generation.all_slots_ready() && generation.workers().size() == 1; });
  EXPECT_FALSE(generation.is_lent(0));
  EXPECT_FALSE(generation.workers().front()->is_spare());
}

TEST_F(AdoptionTest, LendsTheSocketOfASuspectAndTakesItBack) {
  Plan plan = plan_for(2);
  plan.runtime.heartbeat = {Milliseconds(200), Milliseconds(0), Milliseconds(0)};
  Generation& generation = serve(plan);
  const pid_t stopped = generation.worker_of(1)->pid();
  ::kill(stopped, SIGSTOP);
  run_until([&] { return generation.borrower_slot(1) == 0U; });
  EXPECT_EQ(generation.ready_workers(), 1U);
  ::kill(stopped, SIGCONT);
  run_until([&] { return !generation.is_lent(1); });
  EXPECT_EQ(generation.worker_of(1)->pid(), stopped) << "it is the same worker";
}

}  // namespace
}  // namespace servery
