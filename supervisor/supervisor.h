// The supervisor process: owns everything that outlives a worker. Signals, control requests, child
// exits and workers' reports enter here and nowhere else; each is handed to the part whose business
// it is. One thread, one loop, nothing that blocks; works as PID 1. docs/architecture.md draws it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/loop/loop.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "supervisor/control_server.h"
#include "supervisor/exit_reason.h"
#include "supervisor/fleet.h"
#include "supervisor/hand_over_relay.h"
#include "supervisor/listeners.h"
#include "supervisor/notify.h"
#include "supervisor/plan_request.h"
#include "supervisor/reload_queue.h"
#include "supervisor/retirement.h"
#include "supervisor/shared_memory.h"
#include "supervisor/spawn.h"
#include "supervisor/status.h"

namespace servery {

struct SuperviseOptions {
  std::string config_path;  // absolute; empty: quick mode
  InputsReader& inputs;
};

// Runs the service until it is stopped; the exit code of the process.
int run_supervisor(const SuperviseOptions& options);

// A stop under way. Outside its owner, because clang 14 cannot yet default-construct it there.
struct SupervisorStop {
  int exit_code = kExitDone;
  std::vector<ControlReply> replies;
  std::uint64_t forced_before = 0;  // connections cut by a drain until then
};

class Supervisor final : private SignalWatcher,
                         private ControlHandler,
                         private GenerationEvents,
                         private ReloadHost {
 public:
  // Takes the descriptors the service manager passed.
  static Result<std::unique_ptr<Supervisor>> create(const SuperviseOptions& options);
  ~Supervisor() override;

  int run();

 private:
  Supervisor(const SuperviseOptions& options, std::unique_ptr<Loop> loop, Executable executable,
             std::vector<InheritedFd> inherited, Notify notify);

  // Signals and children.
  void on_signal(int signal, pid_t sender) override;
  void reap_children();
  void on_child_exit(pid_t pid, int wait_status);
  void dump_state();
  void tick();

  // Control socket.
  void on_request(const Json& request, ControlReply reply) override;
  void answer_status(ControlReply reply);
  Status open_control_socket(const Plan& plan);
  void restore_control_socket();
  StatusSources status_sources() const;

  // Generations.
  void on_prepared(Generation& generation) override;
  void on_failed(Generation& generation, const std::string& reason) override;
  void on_workers_changed(Generation& generation) override;
  void on_socket_empty(WorkerProcess& worker, const ipc::SocketEmpty& message) override;
  void on_hand_over(WorkerProcess& giver, ipc::HandOver message) override;
  void on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message) override;
  void on_worker_gone(WorkerProcess& worker) override;
  void on_gone(Generation& generation) override;

  // Reloads.
  void on_reload_begin() override;
  void on_reload_superseded() override;
  std::uint32_t most_workers() const override;
  Status admit(const Plan& plan) override;
  Result<Generation*> add_generation(Plan plan, UniqueFd inputs) override;
  void replace_current(Generation& generation) override;
  bool old_stopped_accepting() const override { return fleet_.old_stopped_accepting(); }
  Generation* current_generation() const override { return fleet_.current(); }
  void on_reload_done(Verdict verdict) override;
  void on_first_start_done(const Verdict& verdict);
  void retire_sockets();
  void store_sockets(const Generation& generation);

  // The end.
  void stop(Milliseconds within);
  void begin_stop();
  Milliseconds stop_timeout() const;  // of the generation that serves
  void leave_if_empty();

  SystemClock clock_;
  const SteadyTime started_;
  std::unique_ptr<Loop> loop_;
  const Executable executable_;
  Notify notify_;
  Listeners listeners_;
  std::unique_ptr<SharedMemory> memory_;  // from the first plan on
  std::unique_ptr<WorkerParts> worker_parts_;
  std::vector<SlotHistory> histories_;
  std::mt19937 random_engine_;
  std::uint64_t last_generation_ = 0;
  bool is_serving_ = false;  // the first start is done
  OomKills oom_kills_;
  std::optional<Verdict> last_reload_;
  std::optional<SupervisorStop> stop_;
  int exit_code_ = kExitDone;

  Fleet fleet_;
  Retirement retirement_;
  HandOverRelay relay_;
  ReloadQueue reloads_;
  PlanRequests plans_;
  std::unique_ptr<SignalWatch> signals_;
  std::unique_ptr<ControlServer> control_;
  Timer tick_;
  SteadyTime last_tick_;
  Timer watchdog_;
};

}  // namespace servery
