// The host of reloads under test: what the Supervisor does for them, without its control socket and
// its signals.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "supervisor/reload.h"
#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery::test {

class ReloadFixture : public FleetFixture, protected ReloadHost {
 protected:
  ReloadFixture() {
    on_other_exit = [this](pid_t pid, int status) {
      return running() && running()->on_child_exit(pid, status);
    };
  }

  virtual Reload* running() = 0;

  void on_reload_begin() override {}
  void on_reload_superseded() override { ++superseded; }
  std::uint32_t most_workers() const override { return 64; }
  Status admit(const Plan&) override { return admitted; }
  Result<Generation*> add_generation(Plan plan, UniqueFd) override { return &add(std::move(plan)); }
  void replace_current(Generation& generation) override {
    Generation* old = fleet.current();
    fleet.set_current(generation);
    for (const LeavingSocket& socket : listeners.retire()) listeners.close_leaving(socket.name);
    if (old) old->drain(clock.steady() + drain_timeout, true);
  }
  bool old_stopped_accepting() const override {
    const auto old = fleet.old();
    return std::all_of(old.begin(), old.end(),
                       [](const Generation* g) { return g->all_stopped_accepting(); });
  }
  Generation* current_generation() const override { return fleet.current(); }

  void on_prepared(Generation& generation) override {
    if (running()) running()->on_prepared(generation);
  }
  void on_failed(Generation& generation, const std::string& reason) override {
    if (running()) running()->on_failed(generation, reason);
  }
  void on_workers_changed(Generation&) override {
    if (running()) running()->on_workers_changed();
  }

  ReloadParts reload_parts() { return {*loop, clock, executable, listeners}; }

  Status admitted;
  Milliseconds drain_timeout{5'000};
  int superseded = 0;
};

}  // namespace servery::test
