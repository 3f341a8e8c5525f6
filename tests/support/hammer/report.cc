#include "report.h"

#include <algorithm>
#include <cmath>

namespace hammer {
namespace {

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

void print_mode(std::FILE* out, const char* name, const ModeCounts& counts) {
  std::fprintf(out,
               "\"%s\":{\"connections\":%llu,\"connect_failed\":%llu,\"requests\":%llu,"
               "\"completed\":%llu,\"failed\":%llu,\"stale_closes\":%llu,\"skipped\":%llu,"
               "\"latency_ms\":{\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}}",
               name, static_cast<unsigned long long>(counts.connections),
               static_cast<unsigned long long>(counts.connect_failed),
               static_cast<unsigned long long>(counts.requests),
               static_cast<unsigned long long>(counts.completed),
               static_cast<unsigned long long>(counts.failed),
               static_cast<unsigned long long>(counts.stale_closes),
               static_cast<unsigned long long>(counts.skipped), counts.latency.quantile_ms(0.5),
               counts.latency.quantile_ms(0.99), counts.latency.max_ms());
}

}  // namespace

void LatencyHistogram::add(Clock::duration latency) {
  const double us = std::max(1.0, seconds(latency) * 1e6);
  const auto bucket = static_cast<std::size_t>(std::log2(us) * 4);
  ++buckets_[std::min(bucket, buckets_.size() - 1)];
  ++count_;
  max_us_ = std::max(max_us_, us);
}

double LatencyHistogram::quantile_ms(double q) const {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen > 0 && static_cast<double>(seen) >= q * static_cast<double>(count_)) {
      return std::min(max_us_, std::exp2(static_cast<double>(i + 1) / 4)) / 1000.0;
    }
  }
  return 0;
}

void Report::list(Failure failure) {
  ++reasons_[failure.reason];
  if (failures_.size() < kMaxFailures) failures_.emplace_back(Clock::now(), std::move(failure));
}

void Report::connect_failed(Failure failure) {
  ++of(failure.mode).connect_failed;
  failure.reason = "connect: " + failure.reason;
  list(std::move(failure));
}

void Report::failed(Failure failure) {
  ++of(failure.mode).failed;
  list(std::move(failure));
}

bool Report::clean() const {
  return std::all_of(modes_.begin(), modes_.end(), [](const ModeCounts& counts) {
    return counts.failed == 0 && counts.connect_failed == 0;
  });
}

void Report::print(std::FILE* out, double fresh_rate) const {
  ModeCounts total;
  for (const ModeCounts& counts : modes_) {
    total.connect_failed += counts.connect_failed;
    total.completed += counts.completed;
    total.failed += counts.failed;
    total.stale_closes += counts.stale_closes;
    total.skipped += counts.skipped;
  }
  std::fprintf(out,
               "{\"seconds\":%.3f,\"fresh_rate\":%.1f,\"completed\":%llu,\"failed\":%llu,"
               "\"connect_failed\":%llu,\"stale_closes\":%llu,\"skipped\":%llu,\"modes\":{",
               seconds(Clock::now() - start_), fresh_rate,
               static_cast<unsigned long long>(total.completed),
               static_cast<unsigned long long>(total.failed),
               static_cast<unsigned long long>(total.connect_failed),
               static_cast<unsigned long long>(total.stale_closes),
               static_cast<unsigned long long>(total.skipped));
  const char* separator = "";
  for (std::size_t i = 0; i < kModeCount; ++i) {
    if (modes_[i].connections + modes_[i].skipped == 0) continue;
    std::fputs(separator, out);
    print_mode(out, kModes[i].name, modes_[i]);
    separator = ",";
  }
  std::fputs("},\"reasons\":{", out);
  separator = "";
  for (const auto& [reason, count] : reasons_) {
    std::fprintf(out, "%s\"%s\":%llu", separator, reason.c_str(),
                 static_cast<unsigned long long>(count));
    separator = ",";
  }
  std::fputs("},\"failures\":[", out);
  separator = "";
  for (const auto& [when, failure] : failures_) {
    std::fprintf(out,
                 "%s{\"at_s\":%.3f,\"mode\":\"%s\",\"reason\":\"%s\",\"stage\":%d,"
                 "\"local_port\":%d,\"waited_ms\":%.1f}",
                 separator, seconds(when - start_), traits(failure.mode).name,
                 failure.reason.c_str(), failure.stage, failure.local_port,
                 seconds(failure.waited) * 1000);
    separator = ",";
  }
  std::fputs("]}\n", out);
}

}  // namespace hammer
