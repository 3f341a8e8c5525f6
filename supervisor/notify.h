// The service manager's protocols, as sd_notify(3), sd_listen_fds(3) and the descriptor store
// define them: datagrams to $NOTIFY_SOCKET, sockets from $LISTEN_FDS. Owned by the supervisor, its
// loop's thread. Both readers remove their variables, so that no child takes them for its own.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/base/unique_fd.h"

namespace servery {

// A descriptor this process was started with. CLOEXEC is set.
struct InheritedFd {
  UniqueFd fd;
  int number = 0;    // as it was passed (3, 4, ...)
  std::string name;  // from LISTEN_FDNAMES; "unknown" without
};

// The sockets of LISTEN_FDS when LISTEN_PID names this process, else none. kInvalid for variables
// that contradict each other. At most 1,024.
Result<std::vector<InheritedFd>> take_inherited_fds();

class Notify {
 public:
  // Without NOTIFY_SOCKET every call does nothing. kInvalid for an address that is not one.
  static Result<Notify> from_environment();
  Notify() = default;

  bool is_active() const { return static_cast<bool>(fd_); }
  // A half of WATCHDOG_USEC, when the manager wants to hear from this process.
  std::optional<Milliseconds> watchdog_interval() const { return watchdog_; }

  void ready(std::string_view status);
  // RELOADING=1 with MONOTONIC_USEC; ready() ends it, also after a refused reload.
  void reloading(std::string_view status);
  void stopping(std::string_view status);
  void status(std::string_view status);
  void watchdog();
  void extend_timeout(Milliseconds by);
  // Keeps a copy of `fd` in the manager's store under `name` for the next supervisor.
  void store(std::string_view name, int fd);
  // Before the descriptor is closed.
  void unstore(std::string_view name);

 private:
  void send(std::string_view message, int fd = -1);

  UniqueFd fd_;
  sockaddr_un address_{};
  socklen_t address_size_ = 0;
  std::optional<Milliseconds> watchdog_;
};

}  // namespace servery
