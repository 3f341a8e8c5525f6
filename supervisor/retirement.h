// The sockets that leave: each is emptied by one worker (rule 6 c of docs/life-of-a-reload.md) and
// closed when that worker says so. A worker that dies or hangs before passes the job to another.
// Owned by the Supervisor; supervisor's loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "supervisor/fleet.h"
#include "supervisor/listeners.h"

namespace servery {

class Retirement {
 public:
  static constexpr Milliseconds kLimit{5'000};  // for handshakes that never complete

  Retirement(Listeners& listeners, const Fleet& fleet) : listeners_(listeners), fleet_(fleet) {}

  // `sockets` were taken out of selection. They are assigned at once: call it before the workers
  // that poll them are told to stop.
  void add(std::vector<LeavingSocket> sockets);
  // Gives what has no able worker to another; after a change of workers.
  void reassign();
  // The names of the sockets that were closed by it: none or one.
  std::vector<std::string> on_socket_empty(const WorkerProcess& worker,
                                           const ipc::SocketEmpty& message);
  // Nobody is left to empty them.
  void close_all();
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    LeavingSocket socket;
    std::uint64_t worker = 0;  // 0: none
  };
  void assign(Entry& entry);
  WorkerProcess* holder_of(const Entry& entry) const;

  Listeners& listeners_;
  const Fleet& fleet_;
  std::vector<Entry> entries_;
};

}  // namespace servery
