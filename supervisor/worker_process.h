// One worker process as the supervisor sees it: pid, channel, metrics page, state, deadlines. Owned
// by its Generation from the fork until it is reaped; supervisor's loop. It sends and receives, and
// kills what is past a deadline; what a message means is its owner's business.
//
//   starting --Prepared--> prepared --Ready--> ready --drain()--> draining --+
//      |                      |                                              |--reaped--> gone
//      +------- Failed -------+--> failed -----------------------------------+
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "config/plan.h"
#include "ipc/channel.h"
#include "supervisor/exit_reason.h"
#include "supervisor/hang_watch.h"
#include "supervisor/listeners.h"
#include "supervisor/shared_memory.h"
#include "supervisor/spawn.h"

namespace servery {

class WorkerProcess;

class WorkerOwner {
 public:
  virtual ~WorkerOwner() = default;
  // From the loop, in the order they were sent; never from inside a WorkerProcess method but
  // drain_channel().
  virtual void on_worker_message(WorkerProcess& worker, ipc::ToSupervisor message) = 0;
};

// What every worker is made with; outlives them all.
struct WorkerParts {
  Loop& loop;
  const Clock& clock;
  const Executable& executable;
  SharedMemory& memory;
};

// What the workers of one generation have in common; outlives them.
struct WorkerSetup {
  std::uint64_t generation = 0;
  const Plan& plan;
  int inputs = -1;  // sealed text
  int files = -1;   // likewise
  const std::vector<std::pair<std::string, UniqueFd>>& roots;
};

enum class WorkerState { kStarting, kPrepared, kReady, kDraining, kFailed };
std::string_view worker_state_name(WorkerState state);

class WorkerProcess final : private FdWatcher {
 public:
  // `slot`: ipc::kSpareSlot for a spare.
  static Result<std::unique_ptr<WorkerProcess>> start(const WorkerParts& parts,
                                                      const WorkerSetup& setup, std::uint32_t slot,
                                                      WorkerOwner& owner);

  std::uint64_t id() const { return id_; }  // unique over all processes of this supervisor
  pid_t pid() const { return pid_; }
  std::uint32_t slot() const { return slot_; }
  bool is_spare() const { return slot_ == ipc::kSpareSlot; }
  WorkerState state() const { return state_; }
  void enter(WorkerState state);
  // Accepts connections and beats: may be given what others cannot do.
  bool is_healthy() const { return state_ == WorkerState::kReady && !is_suspect(); }
  bool is_suspect() const { return hang_watch_.is_suspect(); }
  bool is_condemned() const { return facts_.hung; }
  bool has_stopped_accepting() const { return stopped_accepting_; }
  void set_stopped_accepting() { stopped_accepting_ = true; }
  const PageLease& page() const { return page_; }
  const ipc::OpenWorkReport& open_work() const { return open_work_; }
  void set_open_work(const ipc::OpenWorkReport& report) { open_work_ = report; }
  const std::string& failure() const { return failure_; }
  void set_failure(std::string text) { failure_ = std::move(text); }
  std::string place() const;  // its slot, or "spare"
  // Why it ended before it was ready, in its own words where it had some.
  std::string describe_end(const LastExit& exit) const;
  SteadyTime started() const { return started_; }
  std::optional<SteadyTime> told_to_serve() const { return told_to_serve_; }

  // Also used for a lent slot, after serve(). `sockets` stay the caller's.
  void listen(const std::vector<SlotSocket>& sockets, std::uint32_t slot);
  void serve();
  void give_back(std::uint32_t slot);
  void leave(const std::string& socket, std::uint32_t slot, Milliseconds limit);
  void stop_accepting();
  // Killed `force` after the deadline. A later call may only shorten it.
  void drain(SteadyTime deadline, bool hand_over, Milliseconds force);
  void quit(Milliseconds force);  // before it served
  void take_over(std::vector<ipc::Connection> connections);
  void hand_over_done(std::vector<std::uint64_t> offered, std::vector<std::uint64_t> taken);

  HangWatch::Verdict observe(SteadyTime now, const HangWatch::Limits& limits, Milliseconds own_gap);
  // Its heartbeat is given up on: SIGABRT and SIGKILL later, or at once when it is stopped.
  void condemn(Milliseconds force);

  // Reads what it sent before it ended; on_worker_message is called from here.
  void drain_channel();
  ExitReason classify(int wait_status, bool oom_kill_counted) const;

 private:
  WorkerProcess(const WorkerParts& parts, const WorkerSetup& setup, std::uint32_t slot,
                WorkerOwner& owner);
  Status spawn();
  void configure();
  void on_ready(int events) override;
  bool receive_one();
  void send(ipc::ToWorker message);
  void on_channel_broken(const Error& error);
  void on_deadline();
  void kill_by(SteadyTime when);

  const WorkerParts& parts_;
  const WorkerSetup& setup_;
  const std::uint64_t id_;
  const std::uint32_t slot_;
  WorkerOwner& owner_;
  pid_t pid_ = -1;
  WorkerState state_ = WorkerState::kStarting;
  PageLease page_;
  std::optional<ipc::Channel> channel_;
  FdWatch watch_;  // after channel_: stops first
  Timer deadline_timer_;
  SteadyTime kill_at_ = SteadyTime::max();
  SteadyTime started_;
  std::optional<SteadyTime> told_to_serve_;
  HangWatch hang_watch_;
  ExitFacts facts_;
  bool stopped_accepting_ = false;
  ipc::OpenWorkReport open_work_;
  std::string failure_;
};

}  // namespace servery
