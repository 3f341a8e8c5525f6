// The worker's clock: asked once per turn, however many requests the turn answers. Worker thread
// only.
#pragma once

#include "common/base/clock.h"
#include "common/loop/loop.h"

namespace servery {

class TurnClock final : public Clock, private TurnHook {
 public:
  explicit TurnClock(Loop& loop) : loop_(loop) { loop.add_turn_hook(*this); }
  ~TurnClock() override { loop_.remove_turn_hook(*this); }
  TurnClock(const TurnClock&) = delete;
  TurnClock& operator=(const TurnClock&) = delete;

  SteadyTime steady() const override { return loop_.now(); }
  WallTime wall() const override {
    if (!is_read_) {
      wall_ = SystemClock().wall();
      is_read_ = true;
    }
    return wall_;
  }

 private:
  void on_turn_begin() override { is_read_ = false; }

  Loop& loop_;
  mutable WallTime wall_{};
  mutable bool is_read_ = false;
};

}  // namespace servery
