// A one-shot or repeating timer as an RAII member. Loop thread. For few, long-lived timers: a
// connection has none of its own (coarse deadline lists do that). Resolution 1 ms.
#pragma once

#include <functional>

#include "common/base/clock.h"
#include "common/loop/loop.h"

namespace servery {

class Timer {
 public:
  // `on_expiry` may destroy the Timer.
  Timer(Loop& loop, std::function<void()> on_expiry);

  // Both replace a running start.
  void start_once(Milliseconds delay);
  void start_repeating(Milliseconds interval);  // at least 1 ms
  void stop();
  bool is_active() const;

 private:
  void start(Milliseconds delay, Milliseconds repeat);

  Handle<uv_timer_t, std::function<void()>> handle_;
};

}  // namespace servery
