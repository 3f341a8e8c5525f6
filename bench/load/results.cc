#include "bench/load/results.h"

namespace servery::bench {
namespace {

double microseconds(double nanoseconds) { return nanoseconds / 1000; }

Json latencies(const Histogram& histogram) {
  const auto at = [&histogram](double share) {
    return microseconds(static_cast<double>(histogram.percentile(share)));
  };
  return {{"count", histogram.count()},
          {"mean", microseconds(histogram.mean())},
          {"p50", at(0.5)},
          {"p90", at(0.9)},
          {"p99", at(0.99)},
          {"p999", at(0.999)},
          {"max", microseconds(static_cast<double>(histogram.max()))}};
}

}  // namespace

Json to_json(const Results& r) {
  const double seconds = r.seconds > 0 ? r.seconds : 1;
  return {{"answers", r.answers},
          {"seconds", r.seconds},
          {"rate", static_cast<double>(r.answers) / seconds},
          {"non_2xx", r.non_2xx},
          {"connects", r.connects},
          {"head_bytes", r.head_bytes},
          {"body_bytes", r.body_bytes},
          {"late", r.late},
          {"server_cpu_seconds", r.server_cpu_seconds},
          {"client_cpu_seconds", r.client_cpu_seconds},
          {"latency_us", latencies(r.small)},
          {"latency_large_us", latencies(r.large)},
          {"errors", r.errors.total()},
          {"error_kinds",
           {{"connect", r.errors.connect},
            {"closed", r.errors.closed},
            {"malformed", r.errors.malformed},
            {"status", r.errors.status},
            {"length", r.errors.length},
            {"body", r.errors.body},
            {"stalled", r.errors.stalled}}}};
}

}  // namespace servery::bench
