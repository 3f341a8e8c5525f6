// The worker's composition root: builds every object from the settings and the descriptors it was
// given, serves, drains, stops. Owned by run_worker (worker/run.cc); worker thread only. It knows
// nothing of ipc: supervisor_link calls it and hears of it through WorkerEvents.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "common/loop/loop.h"
#include "config/named_files.h"
#include "config/settings.h"
#include "ipc/shared_page.h"
#include "ipc/shared_view.h"
#include "worker/transport/hand_over.h"
#include "worker/transport/listener.h"

namespace servery {

using ListenSocket = transport::ListenSocket;
using HandedConnection = transport::HandedConnection;

// What keeps a draining worker alive.
struct OpenWork {
  std::uint32_t keepalive = 0;
  std::uint32_t response = 0;
  std::uint32_t request = 0;
  std::uint32_t pool = 0;
  std::uint32_t total() const { return keepalive + response + request + pool; }
  friend bool operator==(const OpenWork&, const OpenWork&) = default;
};

// The worker's reports, in no fixed order except where said. Called from the loop, never from
// inside a Worker method.
class WorkerEvents {
 public:
  // A leaving socket was accepted until EAGAIN and no handshake is left, or its time ran out.
  virtual void on_socket_empty(const std::string& listener, unsigned slot,
                               std::uint32_t leftover) = 0;
  // Idle connections for the successor. The worker keeps its copies until hand_over_done().
  virtual void on_hand_over(std::vector<HandedConnection> batch) = 0;
  // drain() was called and nothing is open any more. The last event.
  virtual void on_drained() = 0;
  // A recycle limit was reached ("max_requests", "max_age"); once.
  virtual void on_recycle_wanted(std::string_view reason) = 0;

 protected:
  ~WorkerEvents() = default;
};

struct WorkerInputs {
  Settings settings;
  unsigned slot = 0;
  std::uint64_t generation = 0;
  std::map<std::string, UniqueFd> roots;         // absolute root path -> O_PATH descriptor
  NamedFiles files;                              // those the settings name
  WorkerPage* page = nullptr;                    // this worker's metrics page, mapped
  const ConnectionTable* connections = nullptr;  // open connections of the service
  unsigned page_index = 0;                       // this worker's word in it
};

class Worker {
 public:
  // Proves that every root can be read as the current user; an error is the reload's verdict.
  static Result<std::unique_ptr<Worker>> build(Loop& loop, WorkerInputs inputs,
                                               WorkerEvents& events);
  ~Worker();

  // Starts polling these sockets. Called at Serve, and for lent sockets (slot != own) later.
  void serve(std::vector<ListenSocket> sockets);
  // Stops polling the sockets of a lent slot and closes its copies.
  void give_back(unsigned slot);
  // Stops polling every socket that is not leaving and closes its copies: the successor has its
  // own.
  void stop_accepting();
  // Accepts from this socket until it is empty and no handshake is left, at most `limit`, then
  // closes the copy and reports on_socket_empty. Follows rule 6 (c); (a) and (b) were done by the
  // supervisor.
  void leave(const std::string& listener, unsigned slot, Milliseconds limit);
  // From now on: answers what was read, ends connections with `Connection: close`. With
  // `hand_over`, idle plain connections are offered in batches through on_hand_over. Whatever is
  // left at `deadline` is cut.
  void drain(SteadyTime deadline, bool hand_over);
  // The supervisor's answer to one or more batches: of `offered`, those in `taken` live on in the
  // successor (our copies are closed); the others are served on here.
  void hand_over_done(const std::vector<std::uint64_t>& offered,
                      const std::vector<std::uint64_t>& taken);
  // Connections from the predecessor; served as if accepted here.
  void take_over(std::vector<HandedConnection> batch);

  OpenWork open_work() const;

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace servery
