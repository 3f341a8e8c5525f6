// Latencies in fixed memory: logarithmic buckets, 64 to a power of two, so a percentile is exact to
// 1.6 %. One thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace servery::bench {

class Histogram {
 public:
  void add(std::uint64_t nanoseconds) {
    ++counts_[index(nanoseconds)];
    ++total_;
    sum_ += nanoseconds;
    if (nanoseconds > max_) max_ = nanoseconds;
  }
  void clear() { *this = Histogram(); }

  std::uint64_t count() const { return total_; }
  std::uint64_t max() const { return max_; }
  double mean() const {
    return total_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(total_);
  }

  // The smallest bucket bound that at least `share` (0..1) of the values do not exceed; 0 when
  // empty.
  std::uint64_t percentile(double share) const {
    if (total_ == 0) return 0;
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total_) + 0.999999);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) return upper_bound(i) < max_ ? upper_bound(i) : max_;
    }
    return max_;
  }

 private:
  static constexpr unsigned kBits = 6;
  static constexpr std::size_t kSub = std::size_t{1} << kBits;
  static constexpr unsigned kLargestPower = 42;  // over an hour
  static constexpr std::size_t kBuckets = (kLargestPower - kBits + 2) * kSub;

  static constexpr std::size_t index(std::uint64_t value) {
    if (value < kSub) return static_cast<std::size_t>(value);
    const auto power = static_cast<unsigned>(std::bit_width(value)) - 1;
    if (power > kLargestPower) return kBuckets - 1;
    const auto sub = static_cast<std::size_t>(value >> (power - kBits)) - kSub;
    return (power - kBits + 1) * kSub + sub;
  }
  // The largest value of a bucket.
  static constexpr std::uint64_t upper_bound(std::size_t bucket) {
    if (bucket < kSub) return bucket;
    const std::size_t shift = bucket / kSub - 1;
    return ((kSub + bucket % kSub + 1) << shift) - 1;
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace servery::bench
