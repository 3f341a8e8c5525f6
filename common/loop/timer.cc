#include "common/loop/timer.h"

#include <algorithm>

namespace servery {
namespace {

using TimerHandle = Handle<uv_timer_t, std::function<void()>>;

}  // namespace

Timer::Timer(Loop& loop, std::function<void()> on_expiry) {
  // uv_timer_init cannot fail: it only links the struct into the loop.
  handle_ = *TimerHandle::create("timer", std::move(on_expiry), [&loop](uv_timer_t* timer) {
    return uv_timer_init(loop.raw(), timer);
  });
}

void Timer::start(Milliseconds delay, Milliseconds repeat) {
  uv_timer_start(
      handle_.get(), [](uv_timer_t* timer) { TimerHandle::state_of(timer)(); },
      static_cast<std::uint64_t>(std::max(delay, Milliseconds(0)).count()),
      static_cast<std::uint64_t>(repeat.count()));
}

void Timer::start_once(Milliseconds delay) { start(delay, Milliseconds(0)); }

void Timer::start_repeating(Milliseconds interval) {
  const Milliseconds bounded = std::max(interval, Milliseconds(1));
  start(bounded, bounded);
}

void Timer::stop() { uv_timer_stop(handle_.get()); }

bool Timer::is_active() const {
  return uv_is_active(reinterpret_cast<const uv_handle_t*>(handle_.get())) != 0;
}

}  // namespace servery
