// Time as the code sees it, so that tests own it. Pure parts take values; parts that must ask hold
// a Clock&.
#pragma once

#include <chrono>
#include <cstdint>

namespace servery {

using Milliseconds = std::chrono::milliseconds;
// CLOCK_MONOTONIC, one clock for every process of the service (comparable over ipc).
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
// Unix time in nanoseconds.
using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

// Whole seconds, as HTTP dates count.
inline std::int64_t unix_seconds(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime steady() const = 0;
  virtual WallTime wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  WallTime wall() const override {
    return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
  }
};

}  // namespace servery
