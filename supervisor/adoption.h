// Keeps somebody accepting for every slot of one generation: lends the sockets of slots without a
// healthy worker, gives them back, and has a spare worker started while there is no healthy one at
// all. The decisions are those of lending.h. Owned by the Generation, which calls reconcile() after
// every change of a worker; supervisor's loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/loop/timer.h"
#include "supervisor/restart_policy.h"
#include "supervisor/worker_process.h"

namespace servery {

// The generation as its adoption sees it.
class AdoptionHost {
 public:
  virtual ~AdoptionHost() = default;
  // A slot's worker, if it accepts.
  virtual WorkerProcess* healthy_owner(std::uint32_t slot) const = 0;
  // A slot's worker will accept shortly: nothing needs to be lent or started for it.
  virtual bool is_about_to_accept(std::uint32_t slot) const = 0;
  // Some worker is on its way to become ready.
  virtual bool is_booting() const = 0;
  virtual const std::vector<SlotSocket>& sockets_of(std::uint32_t slot) const = 0;
  virtual WorkerProcess* find(std::uint64_t worker_id) const = 0;
  virtual WorkerProcess* start_spare() = 0;  // nullptr: it could not be started
  virtual void dismiss_spare(WorkerProcess& spare) = 0;
};

class Adoption {
 public:
  Adoption(const WorkerParts& parts, AdoptionHost& host, std::uint32_t slots,
           const RestartPolicy::Settings& restart, std::function<double()> random);

  // Lends and gives back at once; never starts a process.
  void lend();
  // lend(), then starts or dismisses the spare.
  void reconcile();
  // No more: the generation leaves.
  void stop();

  void on_spare_ready();
  // True: it was the spare.
  bool on_gone(const WorkerProcess& worker);

  WorkerProcess* spare() const { return spare_; }
  bool is_lent(std::uint32_t slot) const { return borrowers_[slot].has_value(); }
  WorkerProcess* borrower_of(std::uint32_t slot) const;

 private:
  void apply(std::uint32_t slot, std::optional<std::uint64_t> give_back,
             std::optional<std::uint64_t> to);
  void ensure_spare();
  void dismiss_spare();
  void retry_spare_later();
  bool has_healthy_owner() const;

  const WorkerParts& parts_;
  AdoptionHost& host_;
  std::function<double()> random_;
  std::vector<std::optional<std::uint64_t>> borrowers_;  // by slot; a worker's id
  bool stopped_ = false;
  WorkerProcess* spare_ = nullptr;
  RestartPolicy spare_policy_;
  Timer spare_restart_;
};

}  // namespace servery
