// When the next worker of a slot may start, and whether the slot is in a crash loop. Pure: time and
// randomness come in, one RestartPolicy per slot, owned by the supervisor.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "common/base/clock.h"

namespace servery {

class RestartPolicy {
 public:
  struct Settings {
    Milliseconds backoff_initial{100};
    Milliseconds backoff_max{30'000};
    std::uint32_t limit = 5;  // ends within `window` beyond which it is a crash loop; 0: never
    Milliseconds window{60'000};
  };
  static constexpr std::chrono::seconds kHealthy{60};  // ready for so long: counts from zero again

  explicit RestartPolicy(const Settings& settings) : settings_(settings) {}
  // A reload may change the settings; the history stays.
  void set_settings(const Settings& settings);

  // Somebody has put right what was wrong, as far as can be told: counts from zero again.
  void forgive();

  // A worker of the slot became ready.
  void on_ready(SteadyTime now);
  // A worker of the slot ended without being told to. The delay before the next start: none for the
  // first, then backoff_initial doubling to backoff_max, +-20 % by `random` in [0, 1).
  Milliseconds on_end(SteadyTime now, double random);

  // More than `limit` ends within `window`; left by 60 s of health or by forgive().
  bool in_crash_loop(SteadyTime now) const;
  // The slot has never had a ready worker and failed `limit` times: a first start gives up.
  bool first_start_failed() const;

 private:
  static Milliseconds jittered(Milliseconds delay, double random);
  bool is_healthy(SteadyTime now) const;
  void reset_if_healthy(SteadyTime now);

  Settings settings_;
  std::deque<SteadyTime> ends_;  // within the window, at most limit + 1
  std::uint32_t consecutive_ = 0;
  std::uint32_t ends_since_ready_ = 0;
  bool was_ready_ = false;
  bool ready_ = false;
  SteadyTime ready_since_{};
  bool crash_loop_ = false;
};

}  // namespace servery
