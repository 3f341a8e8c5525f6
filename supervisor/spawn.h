// Starts children of the supervisor: the supervisor's own binary in another role, executed from a
// descriptor opened at start, so that a package upgrade on disk changes nothing by itself. A child
// has its own process group, default signals, /dev/null as stdin, a few of the environment's
// variables and exactly the descriptors it is given. Supervisor's thread, which must be its only
// one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/unique_fd.h"

namespace servery {

// argv[0] of the roles; main() dispatches on it.
inline constexpr const char* kWorkerRole = "servery: worker";
inline constexpr const char* kCheckRole = "servery: check";
// Number of the first descriptor of SpawnRequest::fds in the child.
inline constexpr int kFirstChildFd = 3;
// Exit code of a child that could not be executed.
inline constexpr int kExecFailed = 127;

struct SpawnRequest {
  std::vector<std::string> argv;
  std::vector<int> fds;  // become kFirstChildFd, +1, ...; everything else is closed
};

// Of `variables` (as environ) those a child gets, ended by nullptr.
std::vector<char*> child_environment(char* const* variables);

class Executable {
 public:
  // This process's own binary.
  static Result<Executable> open_own();

  // The child's pid, once it runs its role; a child that could not be executed exits with
  // kExecFailed.
  Result<pid_t> spawn(const SpawnRequest& request) const;

 private:
  Executable(UniqueFd binary, UniqueFd null) : binary_(std::move(binary)), null_(std::move(null)) {}

  UniqueFd binary_;
  UniqueFd null_;
};

}  // namespace servery
