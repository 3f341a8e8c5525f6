#include "supervisor/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "common/loop/watch.h"

namespace servery {
namespace {

// Everything between vfork and exec, in the memory of the supervisor, which is suspended meanwhile:
// only async-signal-safe calls, no allocation, nothing written but this object. The supervisor
// takes its signals from a descriptor, so no handler of its own can run here.
class Child {
 public:
  static constexpr std::size_t kMaxFds = 8;

  Child(int binary, int null, const std::vector<int>& fds, char* const* argv)
      : binary_(binary), null_(null), fds_(fds), argv_(argv) {}

  [[noreturn]] void run() {
    ::setpgid(0, 0);
    default_signals();
    if (::dup2(null_, STDIN_FILENO) >= 0 && place_descriptors()) {
      ::execveat(binary_, "", argv_, environ, AT_EMPTY_PATH);
    }
    ::_exit(kExecFailed);
  }

 private:
  static void default_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      action.sa_handler = SIG_DFL;
      ::sigaction(signal, &action, nullptr);  // fails for KILL and STOP
    }
    unblock_all_signals();
  }

  // First above every target, then down to it, so that no source is overwritten before its turn.
  bool place_descriptors() {
    const int end = kFirstChildFd + static_cast<int>(fds_.size());
    binary_ = ::fcntl(binary_, F_DUPFD_CLOEXEC, end);
    if (binary_ < 0) return false;
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      copies_[i] = ::fcntl(fds_[i], F_DUPFD_CLOEXEC, end);
      if (copies_[i] < 0) return false;
    }
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      if (::dup2(copies_[i], kFirstChildFd + static_cast<int>(i)) < 0) return false;
    }
    mark_rest_close_on_exec(end);
    return true;
  }

  // The supervisor opens everything close-on-exec; what it inherited itself may not be.
  static void mark_rest_close_on_exec(int from) {
    const auto first = static_cast<unsigned>(from);
    if (::syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
    constexpr int kLikelyInherited = 1024;  // Linux before 5.11
    for (int fd = from; fd < kLikelyInherited; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }

  int binary_;
  int null_;
  const std::vector<int>& fds_;
  char* const* argv_;
  int copies_[kMaxFds] = {};
};

}  // namespace

Result<Executable> Executable::open_own() {
  UniqueFd binary(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!binary) return fail_errno("open own binary /proc/self/exe", errno);
  UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return fail_errno("open /dev/null", errno);
  return Executable(std::move(binary), std::move(null));
}

Result<pid_t> Executable::spawn(const SpawnRequest& request) const {
  if (request.fds.size() > Child::kMaxFds) return fail(Errc::kTooLarge, "too many descriptors");
  std::vector<char*> argv;
  argv.reserve(request.argv.size() + 1);
  for (const std::string& word : request.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Child child(binary_.get(), null_.get(), request.fds, argv.data());
  // Not fork: that would cost a page fault for every page touched afterwards.
  const pid_t pid = ::vfork();
  if (pid == 0) child.run();
  if (pid < 0) return fail_errno("vfork", errno);
  return pid;
}

}  // namespace servery
