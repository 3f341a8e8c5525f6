#include "supervisor/hang_watch.h"

namespace servery {

HangWatch::Verdict HangWatch::observe(SteadyTime now, std::uint64_t beats, const Limits& limits,
                                      Milliseconds own_gap) {
  if (beats != beats_) {
    beats_ = beats;
    last_beat_ = now;
    // Past the abort its fate is sealed: the signal is on its way.
    if (stage_ == Stage::kBeating || stage_ == Stage::kAborted) return Verdict::kNone;
    stage_ = Stage::kBeating;
    return Verdict::kRecovered;
  }
  last_beat_ += own_gap;
  const auto silence = now - last_beat_;
  const auto reached = [silence](Milliseconds limit) {
    return limit.count() > 0 && silence >= limit;
  };
  if (stage_ < Stage::kAborted && reached(limits.abort)) {
    stage_ = Stage::kAborted;
    return Verdict::kAbort;
  }
  if (stage_ < Stage::kWarned && reached(limits.warn)) {
    stage_ = Stage::kWarned;
    return Verdict::kWarn;
  }
  if (stage_ < Stage::kSuspect && reached(limits.suspect)) {
    stage_ = Stage::kSuspect;
    return Verdict::kSuspect;
  }
  return Verdict::kNone;
}

}  // namespace servery
