#include "supervisor/slots.h"

#include <algorithm>

namespace servery {
namespace {

// Between Serve and Ready lies a turn of the worker's loop, unless it hangs.
constexpr Milliseconds kServePatience{500};

}  // namespace

WorkerProcess* Slots::healthy(std::uint32_t slot) const {
  WorkerProcess* worker = slots_[slot].worker;
  return worker && worker->is_healthy() ? worker : nullptr;
}

std::size_t Slots::healthy_count() const {
  std::size_t count = 0;
  for (std::uint32_t slot = 0; slot < size(); ++slot) count += healthy(slot) ? 1 : 0;
  return count;
}

bool Slots::all_prepared() const {
  return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    return slot.worker && slot.worker->state() == WorkerState::kPrepared;
  });
}

bool Slots::is_any_booting() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
    if (!slot.worker) return false;
    const WorkerState state = slot.worker->state();
    return state == WorkerState::kStarting || state == WorkerState::kPrepared;
  });
}

bool Slots::is_about_to_accept(std::uint32_t slot, SteadyTime now) const {
  const WorkerProcess* worker = slots_[slot].worker;
  return worker && worker->state() == WorkerState::kPrepared && worker->told_to_serve() &&
         now - *worker->told_to_serve() < kServePatience;
}

std::string_view Slots::configured_of(std::string_view socket) const {
  for (const Slot& slot : slots_) {
    for (const SlotSocket& own : slot.sockets) {
      if (own.name == socket) return own.configured;
    }
  }
  return {};
}

}  // namespace servery
