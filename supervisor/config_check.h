// One run of the check child: the supervisor's binary, in the check role, loads and validates a set
// of inputs and answers with a Plan as JSON over a pipe. A crash, a timeout or an answer that is
// not a plan is a refusal. Owned by whoever wants the plan (a reload, a plan request), on the
// supervisor's loop; destroying it kills the child.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "config/plan.h"
#include "supervisor/spawn.h"

namespace servery {

class ConfigCheck final : private FdWatcher {
 public:
  static constexpr Milliseconds kTimeout{10'000};
  // The last call; may destroy the ConfigCheck. A Plan may have problems; an Error means that there
  // is no answer.
  using Done = std::function<void(Result<Plan>)>;

  // `inputs`, `old_inputs` (-1: none): sealed texts. The child's exit status comes in by on_exit().
  static Result<std::unique_ptr<ConfigCheck>> start(Loop& loop, const Executable& executable,
                                                    int inputs, int old_inputs, Done done);
  ~ConfigCheck() override;

  pid_t pid() const { return pid_; }
  void on_exit(int wait_status);

 private:
  ConfigCheck(Loop& loop, Done done);
  void on_ready(int events) override;
  void read_answer();
  void finish_if_complete();
  void finish(Result<Plan> plan);

  Done done_;
  UniqueFd pipe_;
  FdWatch watch_;  // after pipe_: stops first
  Timer timeout_;
  pid_t pid_ = -1;  // -1: reaped
  std::optional<int> wait_status_;
  bool end_of_answer_ = false;
  std::string answer_;
};

// The child's side of the contract, for main.cc: descriptor numbers of the check role.
inline constexpr int kCheckAnswerFd = kFirstChildFd;
inline constexpr int kCheckInputsFd = kFirstChildFd + 1;
inline constexpr int kCheckOldInputsFd = kFirstChildFd + 2;  // present when argv[1] is "changes"

}  // namespace servery
