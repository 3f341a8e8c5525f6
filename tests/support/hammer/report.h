// What happened, per mode: counts, latencies and the first failures; printed as one JSON object.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mode.h"

namespace hammer {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;

// Quarter-octave buckets of microseconds, and the exact maximum.
class LatencyHistogram {
 public:
  void add(Clock::duration latency);
  double quantile_ms(double q) const;
  double max_ms() const { return max_us_ / 1000.0; }

 private:
  std::array<std::uint64_t, 128> buckets_{};
  std::uint64_t count_ = 0;
  double max_us_ = 0;
};

struct ModeCounts {
  std::uint64_t connections = 0;     // connects begun
  std::uint64_t connect_failed = 0;  // refused, reset or not established in time
  std::uint64_t requests = 0;        // first byte sent
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t stale_closes = 0;  // FIN, not announced, before the first byte of a request
  std::uint64_t skipped = 0;       // open loop: not started, because too many were open already
  LatencyHistogram latency;
};

// What was lost, and on which connection.
struct Failure {
  Mode mode;
  std::string reason;
  int stage = 0;
  int local_port = 0;
  Clock::duration waited{};
};

class Report {
 public:
  explicit Report(Time start) : start_(start) {}

  ModeCounts& of(Mode mode) { return modes_[static_cast<std::size_t>(mode)]; }
  const ModeCounts& of(Mode mode) const { return modes_[static_cast<std::size_t>(mode)]; }
  void connect_failed(Failure failure);
  void failed(Failure failure);
  void print(std::FILE* out, double fresh_rate) const;
  bool clean() const;

 private:
  static constexpr std::size_t kMaxFailures = 100'000;  // listed; all are counted

  void list(Failure failure);

  Time start_;
  std::array<ModeCounts, kModeCount> modes_;
  std::map<std::string, std::uint64_t> reasons_;
  std::vector<std::pair<Time, Failure>> failures_;
};

}  // namespace hammer
