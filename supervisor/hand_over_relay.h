// Idle connections on their way from a leaving worker to its successor: descriptors come in with
// HandOver, go out with TakeOver, and the giver hears which ones were taken. What nobody takes
// stays with the giver, as does what came to an address that is served no more. The supervisor
// reads nothing from them. Owned by the Supervisor; its loop.
#pragma once

#include <cstdint>
#include <vector>

#include "supervisor/fleet.h"
#include "supervisor/listeners.h"

namespace servery {

class HandOverRelay {
 public:
  HandOverRelay(const Fleet& fleet, const Listeners& listeners)
      : fleet_(fleet), listeners_(listeners) {}

  void on_hand_over(WorkerProcess& giver, ipc::HandOver message);
  void on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message);
  // What it was taking stays with the givers.
  void on_worker_gone(const WorkerProcess& worker);

 private:
  struct Transfer {
    std::uint64_t giver = 0;
    std::uint64_t taker = 0;
    std::vector<std::uint64_t> offered;
  };
  // The successor: the slot's worker in the current generation, else any.
  WorkerProcess* taker_for(const WorkerProcess& giver) const;
  void answer(const Transfer& transfer, std::vector<std::uint64_t> taken);

  const Fleet& fleet_;
  const Listeners& listeners_;
  std::vector<Transfer> transfers_;  // in order for each taker
};

}  // namespace servery
