#include "supervisor/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "common/loop/watch.h"

namespace servery {
namespace {

// What the C library, the dynamic linker, an allocator and the sanitizers read. Configuration has
// been read by then; anything else, secrets of other programs among it, is not for a process that
// talks to the network.
constexpr std::string_view kChildVariables[] = {
    "TZ=",   "LANG=",  "LC_",   "LD_",   "GLIBC_TUNABLES=", "MALLOC_",
    "ASAN_", "UBSAN_", "LSAN_", "TSAN_", "LLVM_PROFILE_",
};

// Everything between vfork and exec, in the memory of the supervisor, which is suspended meanwhile:
// only async-signal-safe calls, no allocation, nothing written but this object. The supervisor
// takes its signals from a descriptor, so no handler of its own can run here.
class Child {
 public:
  static constexpr std::size_t kMaxFds = 8;

  Child(int binary, int null, const std::vector<int>& fds, char* const* argv,
        char* const* variables)
      : binary_(binary), null_(null), fds_(fds), argv_(argv), variables_(variables) {}

  [[noreturn]] void run() {
    ::setpgid(0, 0);
    default_signals();
    if (::dup2(null_, STDIN_FILENO) >= 0 && place_descriptors()) {
      ::execveat(binary_, "", argv_, variables_, AT_EMPTY_PATH);
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
  char* const* variables_;
  int copies_[kMaxFds] = {};
};

}  // namespace

std::vector<char*> child_environment(char* const* variables) {
  std::vector<char*> kept;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable(*variables);
    const bool wanted = std::any_of(std::begin(kChildVariables), std::end(kChildVariables),
                                    [variable](auto name) { return variable.starts_with(name); });
    if (wanted) kept.push_back(*variables);
  }
  kept.push_back(nullptr);
  return kept;
}

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
  const std::vector<char*> variables = child_environment(environ);
  Child child(binary_.get(), null_.get(), request.fds, argv.data(), variables.data());
  // Not fork: that would cost a page fault for every page touched afterwards.
  const pid_t pid = ::vfork();
  if (pid == 0) child.run();
  if (pid < 0) return fail_errno("vfork", errno);
  return pid;
}

}  // namespace servery
