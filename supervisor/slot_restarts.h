// When the next worker of each slot of a generation starts: the delays of its restart policy, as
// timers. Owned by the Generation, whose `start` it calls; supervisor's loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/base/log.h"
#include "common/loop/timer.h"
#include "supervisor/slot_history.h"
#include "supervisor/worker_process.h"

namespace servery {

RestartPolicy::Settings restart_settings(const Plan& plan);

class SlotRestarts {
 public:
  // `random`: in [0, 1). `start`: of that slot's next worker, also from inside schedule().
  SlotRestarts(const WorkerParts& parts, std::vector<SlotHistory>& histories,
               std::function<double()> random, std::uint32_t slots,
               std::function<void(std::uint32_t)> start);

  // A worker of the slot ended, or could not be made: the next one after the policy's delay, at
  // least `at_least`. `level`: of the log line that says so.
  void schedule(std::uint32_t slot, Milliseconds at_least, log::Level level);
  bool is_waiting(std::uint32_t slot) const { return timers_[slot]->is_active(); }
  void stop(std::uint32_t slot) { timers_[slot]->stop(); }
  void stop_all();

  bool in_crash_loop(std::uint32_t slot) const;

 private:
  const WorkerParts& parts_;
  std::vector<SlotHistory>& histories_;
  std::function<double()> random_;
  std::function<void(std::uint32_t)> start_;
  std::vector<std::unique_ptr<Timer>> timers_;  // by slot
};

}  // namespace servery
