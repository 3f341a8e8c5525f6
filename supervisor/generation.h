// One validated configuration and the workers started from it: a slot per worker place, spares, and
// workers on their way out. Restarts what dies, lends the sockets of slots without a healthy
// worker, recycles one slot at a time. Owned by the Supervisor until its last worker is reaped;
// supervisor's loop.
//
//   starting --all prepared--> prepared --serve()--> serving --drain()--> draining --+
//      |                          |                                                  |--> gone
//      +--- failure, abort() -----+--> failed ---------------last worker reaped------+
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/log.h"
#include "supervisor/adoption.h"
#include "supervisor/recycler.h"
#include "supervisor/slot_history.h"
#include "supervisor/slot_restarts.h"
#include "supervisor/slots.h"
#include "supervisor/worker_process.h"

namespace servery {

class Generation;

// Events come from the loop; `on_gone` is the last one of a generation, which may then be destroyed
// at the end of the turn.
class GenerationEvents {
 public:
  virtual ~GenerationEvents() = default;
  virtual void on_prepared(Generation& generation) = 0;
  // It cannot become prepared; it is in state failed and its workers are leaving.
  virtual void on_failed(Generation& generation, const std::string& reason) = 0;
  // Some worker became or ceased to be ready, healthy, or stopped accepting.
  virtual void on_workers_changed(Generation& generation) = 0;
  virtual void on_socket_empty(WorkerProcess& worker, const ipc::SocketEmpty& message) = 0;
  virtual void on_hand_over(WorkerProcess& giver, ipc::HandOver message) = 0;
  virtual void on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message) = 0;
  // Reaped; `worker` is destroyed afterwards.
  virtual void on_worker_gone(WorkerProcess& worker) = 0;
  virtual void on_gone(Generation& generation) = 0;
};

struct GenerationParts {
  const WorkerParts& workers;
  const Listeners& listeners;
  std::vector<SlotHistory>& histories;
  std::function<double()> random;  // in [0, 1)
};

class Generation final : private WorkerOwner, private AdoptionHost {
 public:
  enum class State { kStarting, kPrepared, kServing, kDraining, kFailed, kGone };

  // `inputs`: sealed text. `first`: workers that fail to boot are retried by the restart policy
  // instead of failing the generation.
  static Result<std::unique_ptr<Generation>> create(const GenerationParts& parts, std::uint64_t id,
                                                    Plan plan, UniqueFd inputs, bool first,
                                                    GenerationEvents& events);
  ~Generation() override;

  // Each worker is prepared, or on_failed follows.
  void start();
  // After Listeners::commit: every worker polls its sockets. No way back from here but drain().
  void serve();
  // Before serve(): the workers leave; on_gone follows.
  void abort();
  // Stop accepting on what stays, finish what was accepted. A later call may only shorten.
  void drain(SteadyTime deadline, bool hand_over);
  void tick(SteadyTime now, Milliseconds own_gap);
  // False: not one of its processes.
  bool on_child_exit(pid_t pid, int wait_status, bool oom_kill_counted);

  std::uint64_t id() const { return id_; }
  State state() const { return state_; }
  const Plan& plan() const { return plan_; }
  int inputs() const { return inputs_.get(); }
  WallTime since() const { return since_; }
  std::optional<SteadyTime> deadline() const { return deadline_; }

  std::uint32_t slot_count() const { return slots_.size(); }
  // The slot's own worker; nullptr: none now.
  WorkerProcess* worker_of(std::uint32_t slot) const;
  // Who accepts for the slot: its healthy worker or its borrower.
  WorkerProcess* acceptor_of(std::uint32_t slot) const;
  WorkerProcess* any_healthy() const;
  std::optional<std::uint32_t> borrower_slot(std::uint32_t slot) const;  // kSpareSlot: a spare
  bool is_lent(std::uint32_t slot) const { return adoption_.is_lent(slot); }
  const std::vector<std::unique_ptr<WorkerProcess>>& workers() const { return workers_; }
  const std::vector<SlotSocket>& sockets_of(std::uint32_t slot) const override;
  // The configured address of one of its sockets; empty: not one of its own.
  std::string_view configured_of(std::string_view socket) const {
    return slots_.configured_of(socket);
  }

  std::size_t ready_workers() const;  // healthy, spares included
  bool all_slots_ready() const { return slots_.all_healthy(); }
  bool all_stopped_accepting() const;  // those that can answer
  bool in_crash_loop(std::uint32_t slot) const { return restarts_.in_crash_loop(slot); }
  bool was_forced() const { return forced_; }  // a worker had to be killed while it drained

 private:
  Generation(const GenerationParts& parts, std::uint64_t id, Plan plan, UniqueFd inputs, bool first,
             GenerationEvents& events);
  Status open_roots();
  void enter(State state);
  bool leave_unserved();
  void fail_start(const std::string& reason);

  // Workers.
  Result<WorkerProcess*> start_worker(std::uint32_t slot);
  void start_slot(std::uint32_t slot);
  void serve_worker(WorkerProcess& worker);
  // Of a slot without a worker, or with one that is to be replaced.
  void restart(std::uint32_t slot, Milliseconds at_least = Milliseconds(0));
  void retry_boot(std::uint32_t slot, const std::string& why, Milliseconds at_least);
  void on_worker_message(WorkerProcess& worker, ipc::ToSupervisor message) override;
  void on_worker_prepared(WorkerProcess& worker);
  void on_worker_ready(WorkerProcess& worker);
  void on_worker_end(WorkerProcess& worker, ExitReason reason, int wait_status);
  void record_end(const WorkerProcess& worker, ExitReason reason, const LastExit& exit);
  void on_slot_worker_gone(std::uint32_t slot, const std::string& why);
  void settle();
  bool is_first_boot() const;  // of the service: boots that fail are tried again
  log::Level boot_level(log::Level level) const;

  // For the adoption.
  WorkerProcess* healthy_owner(std::uint32_t slot) const override { return slots_.healthy(slot); }
  bool is_about_to_accept(std::uint32_t slot) const override;
  bool is_booting() const override { return slots_.is_any_booting(); }
  WorkerProcess* find(std::uint64_t worker_id) const override;
  WorkerProcess* start_spare() override;
  void dismiss_spare(WorkerProcess& spare) override;

  GenerationParts parts_;
  const std::uint64_t id_;
  const Plan plan_;
  const UniqueFd inputs_;
  UniqueFd files_;
  const bool first_;
  GenerationEvents& events_;
  State state_ = State::kStarting;
  WallTime since_;
  std::optional<SteadyTime> deadline_;
  std::vector<std::pair<std::string, UniqueFd>> roots_;
  WorkerSetup setup_;
  Slots slots_;
  SlotRestarts restarts_;
  Recycler recycler_;
  std::vector<SlotSocket> shared_sockets_;
  Adoption adoption_;
  bool forced_ = false;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;  // all, those on their way out included
};

std::string_view generation_state_name(Generation::State state);

}  // namespace servery
