#include "supervisor/recycler.h"

#include <utility>

#include "common/base/log.h"

namespace servery {

void Recycler::want(WorkerProcess& worker, const std::string& reason) {
  if (worker.is_spare() || slots_[worker.slot()].worker != &worker) return;
  if (!queue_.add(worker.slot())) return;
  log::info("worker_recycle", {{"slot", worker.slot()}, {"pid", worker.pid()}, {"reason", reason}});
  start_next();
}

void Recycler::start_next() {
  const auto slot = queue_.turn();
  if (!slot || slots_[*slot].successor || restarts_.is_waiting(*slot)) return;
  start_(*slot);
}

void Recycler::promote(Slot& slot) {
  WorkerProcess& old = *slot.worker;
  slot.worker = std::exchange(slot.successor, nullptr);
  const SteadyTime deadline = parts_.clock.steady() + runtime_.drain_timeout;
  old.stop_accepting();
  old.drain(deadline, true, runtime_.force_timeout);
  queue_.remove(slot.worker->slot());
  start_next();
}

bool Recycler::on_worker_gone(std::uint32_t slot) {
  queue_.remove(slot);
  Slot& place = slots_[slot];
  if (!place.successor) return false;
  place.worker = std::exchange(place.successor, nullptr);
  return true;
}

}  // namespace servery
