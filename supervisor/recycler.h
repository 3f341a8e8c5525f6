// Gives slots fresh workers on their own wish (max_requests, max_age), one slot at a time: the
// successor becomes ready before the old worker leaves. Owned by a Generation; supervisor's loop.
#pragma once

#include <string>

#include "supervisor/recycle_queue.h"
#include "supervisor/slot_restarts.h"
#include "supervisor/slots.h"

namespace servery {

class Recycler {
 public:
  // `start`: of a successor in that slot.
  Recycler(const WorkerParts& parts, const RuntimeSettings& runtime, Slots& slots,
           const SlotRestarts& restarts, std::function<void(std::uint32_t)> start)
      : parts_(parts),
        runtime_(runtime),
        slots_(slots),
        restarts_(restarts),
        start_(std::move(start)) {}

  // The worker of a slot of a generation that serves wants to be replaced.
  void want(WorkerProcess& worker, const std::string& reason);
  // Starts the successor for the slot whose turn it is, unless it is under way.
  void start_next();
  // The successor is ready: the old worker may go.
  void promote(Slot& slot);
  // The slot's worker has gone: its place in the queue is given up. True: its successor, under way
  // already, stands in its place.
  bool on_worker_gone(std::uint32_t slot);

 private:
  const WorkerParts& parts_;
  const RuntimeSettings& runtime_;
  Slots& slots_;
  const SlotRestarts& restarts_;
  std::function<void(std::uint32_t)> start_;
  RecycleQueue queue_;
};

}  // namespace servery
