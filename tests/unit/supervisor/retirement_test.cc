#include "supervisor/retirement.h"

#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

using testing::IsEmpty;

class RetirementTest : public test::FleetFixture {
 protected:
  void on_socket_empty(WorkerProcess& worker, const ipc::SocketEmpty& message) override {
    for (std::string& name : retirement.on_socket_empty(worker, message)) {
      closed.push_back(std::move(name));
    }
  }
  void on_worker_gone(WorkerProcess&) override { retirement.reassign(); }
  void on_workers_changed(Generation&) override { retirement.reassign(); }

  // Nothing is wanted any more: every socket leaves.
  void retire_all() {
    ASSERT_TRUE(listeners.prepare(Plan(), 0).has_value());
    ASSERT_TRUE(listeners.commit().has_value());
    retirement.add(listeners.retire());
  }

  Retirement retirement{listeners, fleet};
  std::vector<std::string> closed;
};

TEST_F(RetirementTest, ASocketIsClosedWhenItsWorkerSaysItIsEmpty) {
  serve(plan_for(2));
  retire_all();
  EXPECT_THAT(closed, IsEmpty()) << "not before it says so";
  run_until([&] { return closed.size() == 2; });
  EXPECT_FALSE(listeners.is_leaving(closed[0]));
  EXPECT_THAT(listeners.status(), IsEmpty());
}

TEST_F(RetirementTest, OnlyTheWorkerThatHasTheJobMaySaySo) {
  Generation& generation = serve(plan_for(2));
  retire_all();
  const std::string name = generation.sockets_of(0).front().name;
  EXPECT_THAT(retirement.on_socket_empty(*generation.worker_of(1), {name, 0, 0}), IsEmpty());
  EXPECT_TRUE(listeners.is_leaving(name));
}

TEST_F(RetirementTest, AnotherWorkerTakesTheJobOfADeadOne) {
  Generation& generation = serve(plan_for(2));
  const pid_t holder = generation.worker_of(0)->pid();
  ::kill(holder, SIGSTOP);  // it will not answer
  retire_all();
  run_until([&] { return closed.size() == 1; });
  ::kill(holder, SIGKILL);
  run_until([&] { return closed.size() == 2; });
}

TEST_F(RetirementTest, AtTheEndEverySocketIsClosed) {
  Generation& generation = serve(plan_for(2));
  for (std::uint32_t slot : {0U, 1U}) ::kill(generation.worker_of(slot)->pid(), SIGSTOP);
  retire_all();
  retirement.close_all();
  EXPECT_THAT(listeners.status(), IsEmpty());
}

}  // namespace
}  // namespace servery
