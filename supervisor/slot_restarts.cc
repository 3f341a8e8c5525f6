#include "supervisor/slot_restarts.h"

#include <algorithm>
#include <utility>

namespace servery {

RestartPolicy::Settings restart_settings(const Plan& plan) {
  const RestartSettings& restart = plan.runtime.restart;
  return {restart.backoff_initial, restart.backoff_max, restart.limit, restart.window};
}

SlotRestarts::SlotRestarts(const WorkerParts& parts, std::vector<SlotHistory>& histories,
                           std::function<double()> random, std::uint32_t slots,
                           std::function<void(std::uint32_t)> start)
    : parts_(parts), histories_(histories), random_(std::move(random)), start_(std::move(start)) {
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    timers_.push_back(std::make_unique<Timer>(parts.loop, [this, slot] { start_(slot); }));
  }
}

void SlotRestarts::schedule(std::uint32_t slot, Milliseconds at_least, log::Level level) {
  const SteadyTime now = parts_.clock.steady();
  RestartPolicy& policy = histories_[slot].policy;
  const bool was_looping = policy.in_crash_loop(now);
  const Milliseconds delay = std::max(at_least, policy.on_end(now, random_()));
  if (!was_looping && policy.in_crash_loop(now)) {
    parts_.memory.add(Metric::kCrashLoops);
    log::error("crash_loop", {{"slot", slot}, {"retry_ms", delay.count()}});
  }
  log::write(level, "worker_restart", {{"slot", slot}, {"delay_ms", delay.count()}});
  timers_[slot]->stop();
  if (delay.count() == 0) return start_(slot);
  timers_[slot]->start_once(delay);
}

void SlotRestarts::stop_all() {
  for (const auto& timer : timers_) timer->stop();
}

bool SlotRestarts::in_crash_loop(std::uint32_t slot) const {
  return histories_[slot].policy.in_crash_loop(parts_.clock.steady());
}

}  // namespace servery
