// A supervisor's parts around real processes that follow a script (scripted_child.h): generations
// can be started, served and drained, children are reaped. Whatever a test waits for is an event of
// the loop.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/loop/loop.h"
#include "common/loop/timer.h"
#include "ipc/memfd.h"
#include "supervisor/fleet.h"
#include "supervisor/listeners.h"
#include "supervisor/shared_memory.h"

namespace servery::test {

class FleetFixture : public testing::Test, protected GenerationEvents {
 protected:
  FleetFixture() { log::set_level(log::Level::kError); }
  ~FleetFixture() override {
    for (const auto& generation : fleet.all()) {
      for (const auto& worker : generation->workers()) ::kill(worker->pid(), SIGKILL);
    }
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    log::set_level(log::Level::kInfo);
  }

  static Plan plan_for(std::uint32_t workers, std::string script = "") {
    Plan plan;
    plan.profile = "local";
    plan.workers = workers;
    plan.log_level = "error";
    plan.config_path = "/script/" + std::move(script);
    plan.runtime.restart.backoff_initial = Milliseconds(1);
    plan.runtime.force_timeout = Milliseconds(50);
    PlanListener listener;
    listener.family = AddressFamily::kIpv4;
    listener.ip = "127.0.0.1";
    listener.configured = "127.0.0.1:0";
    plan.listeners.push_back(listener);
    return plan;
  }

  Generation& add(Plan plan, bool first = false) {
    while (histories.size() < plan.workers) histories.emplace_back(restart_settings(plan));
    auto inputs = ipc::seal_text("test-inputs", dump_json(to_json(plan)));
    EXPECT_TRUE(inputs.has_value());
    auto generation =
        Generation::create({parts, listeners, histories, [] { return 0.5; }}, ++last_id,
                           std::move(plan), std::move(*inputs), first, *this);
    EXPECT_TRUE(generation.has_value());
    return fleet.add(std::move(*generation));
  }

  // Bound, listening, every slot ready, current.
  Generation& serve(Plan plan) {
    EXPECT_TRUE(listeners.prepare(plan, plan.workers).has_value());
    Generation& generation = add(std::move(plan));
    generation.start();
    run_until([&] { return generation.state() == Generation::State::kPrepared; });
    EXPECT_TRUE(listeners.commit().has_value());
    generation.serve();
    run_until([&] { return generation.all_slots_ready(); });
    fleet.set_current(generation);
    return generation;
  }

  // Turns of the loop until `done`; gives up after a time no correct run comes near.
  void run_until(const std::function<bool()>& done, Milliseconds limit = Milliseconds(20'000)) {
    const SteadyTime deadline = clock.steady() + limit;
    Timer look(*loop, [&] {
      reap();
      for (const auto& generation : fleet.all()) generation->tick(clock.steady(), Milliseconds(0));
      if (done() || clock.steady() > deadline) loop->stop();
    });
    look.start_repeating(Milliseconds(1));
    loop->run();
    EXPECT_TRUE(done()) << "it never came";
  }

  void reap() {
    int status = 0;
    for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0;
         pid = ::waitpid(-1, &status, WNOHANG)) {
      if (on_other_exit && on_other_exit(pid, status)) continue;
      std::vector<Generation*> all;
      for (const auto& generation : fleet.all()) all.push_back(generation.get());
      for (Generation* generation : all) {
        if (generation->on_child_exit(pid, status, false)) break;
      }
    }
  }

  void on_prepared(Generation& generation) override { prepared.push_back(generation.id()); }
  void on_failed(Generation&, const std::string& reason) override { failures.push_back(reason); }
  void on_workers_changed(Generation&) override {}
  void on_socket_empty(WorkerProcess&, const ipc::SocketEmpty&) override {}
  void on_hand_over(WorkerProcess&, ipc::HandOver) override {}
  void on_taken_over(WorkerProcess&, const ipc::TakenOver&) override {}
  void on_worker_gone(WorkerProcess&) override {}
  void on_gone(Generation& generation) override {
    gone.push_back(generation.id());
    was_forced = generation.was_forced();
    loop->destroy_later(fleet.remove(generation));
  }

  std::uint64_t count(Metric metric) const { return memory->total(metric); }

  SystemClock clock;
  std::unique_ptr<Loop> loop = std::move(*Loop::create());
  Executable executable = std::move(*Executable::open_own());
  std::unique_ptr<SharedMemory> memory = std::move(*SharedMemory::create(4));
  Listeners listeners{{}};
  WorkerParts parts{*loop, clock, executable, *memory};
  std::vector<SlotHistory> histories;
  Fleet fleet;
  std::uint64_t last_id = 0;
  std::function<bool(pid_t, int)> on_other_exit;

  std::vector<std::uint64_t> prepared;
  std::vector<std::string> failures;
  std::vector<std::uint64_t> gone;
  bool was_forced = false;
};

}  // namespace servery::test
