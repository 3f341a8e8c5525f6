// What a run counted, and its JSON.
#pragma once

#include <cstdint>

#include "bench/load/histogram.h"
#include "common/base/json.h"

namespace servery::bench {

// Anything but a complete, right answer. Counted over the whole run, warm-up included.
struct Errors {
  std::uint64_t connect = 0;
  std::uint64_t closed = 0;     // by the server before an answer was complete
  std::uint64_t malformed = 0;  // head not understood, or bytes after the last answer
  std::uint64_t status = 0;     // not the target's
  std::uint64_t length = 0;
  std::uint64_t body = 0;
  std::uint64_t stalled = 0;  // an answer that did not come at the end

  std::uint64_t total() const {
    return connect + closed + malformed + status + length + body + stalled;
  }
};

// Of the measured window.
struct Results {
  Errors errors;
  std::uint64_t answers = 0;
  std::uint64_t non_2xx = 0;
  std::uint64_t connects = 0;
  std::uint64_t head_bytes = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t late = 0;  // open loop: sent later than due, for want of a free connection
  Histogram small;         // latencies of answers up to TargetList::kLarge
  Histogram large;
  double seconds = 0;
  double server_cpu_seconds = 0;  // of the watched processes
  double client_cpu_seconds = 0;

  void start_window() {
    const Errors kept = errors;
    *this = Results();
    errors = kept;
  }
};

Json to_json(const Results& results);

}  // namespace servery::bench
