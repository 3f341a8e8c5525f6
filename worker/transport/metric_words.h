// The worker's counters as transports see them: words in its shared page, indexed by Metric. One
// writer (the worker thread); readers are other processes.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/base/metrics.h"

namespace servery::transport {

class MetricWords {
 public:
  // `words` has kMetricCount elements and outlives this.
  explicit MetricWords(std::atomic<std::uint64_t>* words) : words_(words) {}

  void add(Metric metric, std::uint64_t by = 1) const {
    set(metric, word(metric).load(std::memory_order_relaxed) + by);
  }
  void subtract(Metric metric) const {
    set(metric, word(metric).load(std::memory_order_relaxed) - 1);
  }
  void set(Metric metric, std::uint64_t value) const {
    word(metric).store(value, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>& word(Metric metric) const {
    return words_[static_cast<std::size_t>(metric)];
  }
  std::atomic<std::uint64_t>* words_;
};

}  // namespace servery::transport
