// How a reload (or the first start) ended, as it is told to whoever asked, to `status` and to the
// log. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/json.h"
#include "common/base/metrics.h"
#include "config/plan.h"

namespace servery {

struct Verdict {
  enum class Kind {
    kCommitted,
    kRolledBack,  // failed at run time; the old generation is untouched
    kInvalid,     // the input is wrong: what `check` finds
    kSuperseded,  // a later request took its place before it began
  };
  Kind kind = Kind::kCommitted;
  std::uint64_t generation = 0;  // the one that serves after it
  ReloadTier tier = ReloadTier::kGeneration;
  std::string error;  // empty when committed
  std::vector<Problem> problems;
  WallTime at;
  Milliseconds duration{0};

  int exit_code() const;
};

std::string_view verdict_name(Verdict::Kind kind);
Metric verdict_metric(Verdict::Kind kind);
// One line: an error unless it is committed.
void log_verdict(const Verdict& verdict);
// A failure that has no place in a configuration, as one of `problems`. Of an error the name of its
// code is the reason.
Problem problem_of(std::string_view reason, std::string message);
Problem problem_of(const Error& error);
// More workers than there is shared memory for need a restart: their change gets that tier.
void require_restart_above(Plan& plan, std::uint32_t most_workers);
// What in `plan` a reload refuses because only a restart can change it.
std::vector<Problem> restart_problems(const Plan& plan, std::uint32_t most_workers);
// What a refused start prints: each problem once, the error alone when there is none.
std::vector<std::string> refusal_lines(const Verdict& verdict);
// {"verdict", "generation", "tier", "error", "problems", "at", "duration_ms"}.
Json to_json(const Verdict& verdict);

// "2026-01-31T12:00:00.250Z".
std::string format_time(WallTime time);

}  // namespace servery
