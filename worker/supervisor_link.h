// The worker's end of ipc: turns the supervisor's messages into calls of Worker and the worker's
// events into messages, beats the heart, and winds the worker down when the supervisor is gone
// (end of file on the channel). Owned by run_worker; loop thread.
//
//   starting --Configure--> prepared --Serve--> serving --Drain--> draining --drained--> left
//      |                       |                   \--supervisor gone--/                   ^
//      \---- failed, Quit -----+------------- Quit, supervisor gone -----------------------/
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/loop/loop.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "ipc/channel.h"
#include "ipc/shared_view.h"
#include "worker/worker.h"

namespace servery {

class SupervisorLink final : private FdWatcher, private WorkerEvents {
 public:
  SupervisorLink(Loop& loop, ipc::Channel channel, std::uint32_t slot, std::uint64_t generation);
  ~SupervisorLink() override;

  // Says hello and listens to the supervisor; from then on the loop drives everything and is
  // stopped when the worker has left.
  Status start();
  // After the loop: delivers the last messages. The exit code.
  int finish();

 private:
  enum class State { kStarting, kPrepared, kServing, kDraining, kLeft };
  // A copy of a polled socket, to close it in order when the supervisor is gone.
  struct Polled {
    std::uint32_t slot = 0;
    bool is_unix = false;
    UniqueFd fd;
  };

  void enter(State state);
  void leave_process(int exit_code);

  void on_ready(int events) override;
  void on_message(ipc::ToWorker message);
  void on(ipc::WorkerHello message);
  void on(ipc::Roots message);
  void on(ipc::Configure message);
  void on(ipc::Listen message);
  void on(ipc::Serve message);
  void on(ipc::GiveBack message);
  void on(ipc::Leave message);
  void on(ipc::StopAccepting message);
  void on(ipc::Drain message);
  void on(ipc::HandOverDone message);
  void on(ipc::TakeOver message);
  void on(ipc::Quit message);

  Status build(ipc::Configure& message);
  std::vector<ListenSocket> to_listen_sockets(std::vector<ipc::Socket> sockets);
  void send(ipc::ToSupervisor message);
  void update_watch();
  void beat();
  void report_open_work();
  void on_protocol_error(const Error& error);
  void on_supervisor_gone();
  void close_polled_in_order();

  void on_socket_empty(const std::string& listener, unsigned slot, std::uint32_t leftover) override;
  void on_hand_over(std::vector<HandedConnection> batch) override;
  void on_drained() override;
  void on_recycle_wanted(std::string_view reason) override;

  Loop& loop_;
  ipc::Channel channel_;
  const std::uint32_t slot_;
  const std::uint64_t generation_;
  State state_ = State::kStarting;
  int exit_code_ = 0;
  bool supervisor_gone_ = false;
  Milliseconds stop_timeout_{0};
  SteadyTime deadline_ = SteadyTime::max();

  WorkerPageView page_;
  ConnectionTable connections_;
  std::map<std::string, UniqueFd> roots_;
  std::vector<ipc::Socket> held_;         // Listen before Serve
  std::map<std::string, Polled> polled_;  // by listener
  std::vector<std::uint64_t> offered_;    // handed over, not answered yet
  OpenWork reported_;

  FdWatch watch_;
  Timer heartbeat_;
  std::unique_ptr<Worker> worker_;  // after what it uses
};

}  // namespace servery
