#include "supervisor/exit_reason.h"

#include <signal.h>
#include <sys/wait.h>

namespace servery {

std::string_view exit_reason_name(ExitReason reason) {
  switch (reason) {
    case ExitReason::kBootFailed:
      return "boot_failed";
    case ExitReason::kCrashed:
      return "crashed";
    case ExitReason::kHung:
      return "hung";
    case ExitReason::kKilled:
      return "killed";
    case ExitReason::kOom:
      return "oom";
    case ExitReason::kDrained:
      return "drained";
  }
  return "crashed";
}

Metric exit_reason_metric(ExitReason reason) {
  switch (reason) {
    case ExitReason::kBootFailed:
      return Metric::kRestartBootFailed;
    case ExitReason::kCrashed:
      return Metric::kRestartCrashed;
    case ExitReason::kHung:
      return Metric::kRestartHung;
    case ExitReason::kKilled:
      return Metric::kRestartKilled;
    case ExitReason::kOom:
      return Metric::kRestartOom;
    case ExitReason::kDrained:
      return Metric::kRestartDrained;
  }
  return Metric::kRestartCrashed;
}

ExitReason classify_exit(const ExitFacts& facts) {
  if (facts.hung) return ExitReason::kHung;
  const bool signaled = WIFSIGNALED(facts.wait_status);
  const int signal = signaled ? WTERMSIG(facts.wait_status) : 0;
  if (signal == SIGKILL && facts.oom_kill_counted) return ExitReason::kOom;
  if (facts.told_to_leave && !signaled && WEXITSTATUS(facts.wait_status) == 0) {
    return ExitReason::kDrained;
  }
  if (signal == SIGKILL || signal == SIGTERM) return ExitReason::kKilled;
  return facts.was_ready ? ExitReason::kCrashed : ExitReason::kBootFailed;
}

LastExit make_last_exit(ExitReason reason, int wait_status, WallTime at) {
  LastExit exit{reason, std::nullopt, std::nullopt, at};
  if (WIFSIGNALED(wait_status)) {
    exit.signal = WTERMSIG(wait_status);
  } else {
    exit.code = WEXITSTATUS(wait_status);
  }
  return exit;
}

}  // namespace servery
