#include "common/loop/watch.h"

#include <signal.h>
#include <sys/signalfd.h>

#include <array>
#include <cerrno>

namespace servery {
namespace {

static_assert(FdWatch::kReadable == UV_READABLE && FdWatch::kWritable == UV_WRITABLE &&
              FdWatch::kDisconnect == UV_DISCONNECT);

constexpr std::size_t kSignalBatch = 16;

}  // namespace

Result<FdWatch> FdWatch::create(Loop& loop, int fd, FdWatcher& watcher) {
  auto handle = SERVERY_TRY((Handle<uv_poll_t, State>::create(
      "watch descriptor", State{&watcher, 0},
      [&loop, fd](uv_poll_t* poll) { return uv_poll_init(loop.raw(), poll, fd); })));
  return FdWatch(std::move(handle));
}

Status FdWatch::set_events(int events) {
  State& state = handle_.state();
  if (events == state.events) return {};
  const int error =
      events == 0 ? uv_poll_stop(handle_.get()) : uv_poll_start(handle_.get(), events, &on_poll);
  if (error < 0) return fail_uv("watch descriptor", error);
  state.events = events;
  return {};
}

void FdWatch::on_poll(uv_poll_t* poll, int status, int events) {
  Loop::of(poll->loop).count_event();
  State& state = Handle<uv_poll_t, State>::state_of(poll);
  if (status < 0) {  // libuv has stopped the poll on EPOLLERR
    state.events = 0;
    events = kFailed;
  }
  state.watcher->on_ready(events);
}

Result<std::unique_ptr<SignalWatch>> SignalWatch::create(Loop& loop,
                                                         std::initializer_list<int> signals,
                                                         SignalWatcher& watcher) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : signals) sigaddset(&set, signal);
  if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0) {
    return fail_errno("block signals", error);
  }
  UniqueFd fd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail_errno("signalfd", errno);
  std::unique_ptr<SignalWatch> watch(new SignalWatch(std::move(fd), watcher));
  watch->watch_ = SERVERY_TRY(FdWatch::create(loop, watch->fd_.get(), *watch));
  SERVERY_TRY(watch->watch_.set_events(FdWatch::kReadable));
  return watch;
}

void SignalWatch::on_ready(int) {
  std::array<signalfd_siginfo, kSignalBatch> batch{};
  const ssize_t size = ::read(fd_.get(), batch.data(), sizeof batch);
  if (size <= 0) return;
  SignalWatcher& watcher = watcher_;  // `this` may be destroyed by the last callback
  const std::size_t count = static_cast<std::size_t>(size) / sizeof(signalfd_siginfo);
  for (std::size_t i = 0; i < count; ++i) {
    watcher.on_signal(static_cast<int>(batch[i].ssi_signo), static_cast<pid_t>(batch[i].ssi_pid));
  }
}

void unblock_all_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace servery
