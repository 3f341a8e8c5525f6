// Readiness of descriptors (FdWatch) and signals (SignalWatch). Loop thread. The watch does not own
// the descriptor: reset the watch first, close the descriptor after it.
// An FdWatch costs about 170 bytes and no allocation per event.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <memory>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "common/loop/loop.h"

namespace servery {

class FdWatcher {
 public:
  virtual ~FdWatcher() = default;
  // `events`: bits of FdWatch. May destroy the watch and the watcher.
  virtual void on_ready(int events) = 0;
};

class FdWatch {
 public:
  static constexpr int kReadable = 1;
  static constexpr int kWritable = 2;
  static constexpr int kDisconnect = 4;  // the peer sent FIN (EPOLLRDHUP)
  // Comes alone: an error is pending and the watch has stopped; read() tells the errno. set_events
  // would start it again.
  static constexpr int kFailed = 8;

  FdWatch() = default;
  // Starts without events. `fd` becomes non-blocking. A regular file cannot be watched
  // (kForbidden).
  static Result<FdWatch> create(Loop& loop, int fd, FdWatcher& watcher);

  // The events to report from now on, 0 for none; nothing happens when they are the current ones.
  // A change costs two epoll_ctl calls: ask for kWritable only while a write is blocked.
  Status set_events(int events);
  int events() const { return handle_ ? handle_.state().events : 0; }
  void reset() { handle_.reset(); }
  explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  struct State {
    FdWatcher* watcher;
    int events;
  };
  explicit FdWatch(Handle<uv_poll_t, State> handle) : handle_(std::move(handle)) {}
  static void on_poll(uv_poll_t* poll, int status, int events);

  Handle<uv_poll_t, State> handle_;
};

class SignalWatcher {
 public:
  virtual ~SignalWatcher() = default;
  // `sender` is 0 for the kernel.
  virtual void on_signal(int signal, pid_t sender) = 0;
};

// Signals as loop events, over signalfd. create() blocks them in the calling thread, so make it
// before any other thread; a child must unblock them between fork and exec (unblock_all_signals).
// Destroying it leaves them blocked.
class SignalWatch final : private FdWatcher {
 public:
  static Result<std::unique_ptr<SignalWatch>> create(Loop& loop, std::initializer_list<int> signals,
                                                     SignalWatcher& watcher);

 private:
  SignalWatch(UniqueFd fd, SignalWatcher& watcher) : watcher_(watcher), fd_(std::move(fd)) {}
  void on_ready(int events) override;

  SignalWatcher& watcher_;
  UniqueFd fd_;
  FdWatch watch_;  // after fd_: stops first
};

// Async-signal-safe; for the child between fork and exec.
void unblock_all_signals();

}  // namespace servery
