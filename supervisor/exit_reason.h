// Why a worker ended, in the words of product.md, from its wait status and what the supervisor knew
// about it. Pure values; also the counter each reason has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/metrics.h"

namespace servery {

enum class ExitReason {
  kBootFailed,  // ended before it was ready
  kCrashed,     // a signal of its own making, or an exit code
  kHung,        // ended by the supervisor: no heartbeat
  kKilled,      // SIGKILL or SIGTERM from somebody else, or past its drain deadline
  kOom,         // SIGKILL while the kernel counted an out-of-memory kill in our cgroup
  kDrained,     // left as it was told to
};

std::string_view exit_reason_name(ExitReason reason);  // "boot_failed", ...
Metric exit_reason_metric(ExitReason reason);

// What is known when a worker is reaped.
struct ExitFacts {
  int wait_status = 0;
  bool was_ready = false;
  bool told_to_leave = false;  // draining, or quitting before it served
  bool hung = false;           // the supervisor gave up on its heartbeat
  bool oom_kill_counted = false;
};

ExitReason classify_exit(const ExitFacts& facts);

// Which SIGKILLs were the kernel's: every out-of-memory kill it has counted explains one, so that
// two workers killed at once are both told apart from a worker an operator kills.
class OomKills {
 public:
  explicit OomKills(std::uint64_t counted) : explained_(counted) {}
  // A child ended by SIGKILL, and the kernel has counted so many by now.
  bool explain(std::uint64_t counted) {
    if (counted <= explained_) return false;
    ++explained_;
    return true;
  }

 private:
  std::uint64_t explained_;
};

// `last_exit` of a slot in `status`.
struct LastExit {
  ExitReason reason = ExitReason::kDrained;
  std::optional<int> signal;
  std::optional<int> code;
  WallTime at;
};

LastExit make_last_exit(ExitReason reason, int wait_status, WallTime at);

}  // namespace servery
