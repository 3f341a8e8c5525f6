// Decides from a worker's heartbeat counter whether it hangs. Pure: one HangWatch per worker, fed
// by the supervisor's tick. The supervisor measures the gap between its own ticks and passes it as
// `own_gap`, so that a machine that was suspended accuses nobody.
#pragma once

#include <cstdint>

#include "common/base/clock.h"

namespace servery {

class HangWatch {
 public:
  struct Limits {  // 0: off
    Milliseconds suspect{1'000};
    Milliseconds warn{5'000};
    Milliseconds abort{30'000};
  };
  // Each but kNone is reported once per silence.
  enum class Verdict { kNone, kSuspect, kWarn, kAbort, kRecovered };

  explicit HangWatch(SteadyTime now) : last_beat_(now) {}

  // `own_gap`: how much longer than planned the supervisor itself was away since the last call.
  Verdict observe(SteadyTime now, std::uint64_t beats, const Limits& limits,
                  Milliseconds own_gap = Milliseconds(0));
  bool is_suspect() const { return stage_ != Stage::kBeating; }

 private:
  enum class Stage { kBeating, kSuspect, kWarned, kAborted };

  SteadyTime last_beat_;
  std::uint64_t beats_ = 0;
  Stage stage_ = Stage::kBeating;
};

}  // namespace servery
