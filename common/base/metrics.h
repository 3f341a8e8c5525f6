// Every metric of the service, declared once: id, name, labels, type, help. Workers count into
// their shared page and the supervisor into its own array, both indexed by Metric; `status` and the
// metrics endpoint read names from here. Labels are fixed values, never input. Any role; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace servery {

enum class Metric : std::uint16_t {
  // Counted by workers.
  kAccepted,
  kConnections,
  kRequests,
  kResponses1xx,
  kResponses2xx,
  kResponses3xx,
  kResponses4xx,
  kResponses5xx,
  kRequestBytes,
  kResponseBytes,
  kResponsesAborted,
  kShedConnections,
  kShedDescriptors,
  kAcceptErrors,
  kMalformedRequests,
  kHostRefused,
  kAddressRefused,
  kProxyHeaderMalformed,
  kProxyHeaderUnlisted,
  kTimeoutHeader,
  kTimeoutBody,
  kTimeoutWrite,
  kTimeoutKeepalive,
  kCacheHits,
  kCacheMisses,
  kCacheProofs,
  kCacheProofFailures,
  kCacheEvictions,
  kCacheEntries,
  kCacheBytes,
  kCompressionEncoded,
  kCompressionJoined,
  kCompressionStreamed,
  kCompressionSaturated,
  kCompressionInFlight,
  kCompressionCacheHits,
  kCompressionCacheEntries,
  kCompressionCacheBytes,
  kDigestComputed,
  kDigestJoined,
  kDigestReused,
  kDigestSaturated,
  kDigestInFlight,
  kDigestCacheEntries,
  kAuthRight,
  kAuthWrong,
  kAuthThrottled,
  kAuthBusy,
  kPoolQueued,
  kPoolRunning,
  kPoolRefused,
  kHandoverSent,
  kHandoverReceived,
  kHandoverKept,
  kLeavingAccepted,
  kLeavingLeftover,
  kDrainClosedIdle,
  kDrainForced,
  kWithoutOpenat2,
  kWithoutResolveCached,
  // Counted by the supervisor.
  kWorkerStarts,
  kRestartBootFailed,
  kRestartCrashed,
  kRestartHung,
  kRestartKilled,
  kRestartOom,
  kRestartDrained,
  kCrashLoops,
  kSuspects,
  kAdoptions,
  kSpares,
  kClockGaps,
  kReloadCommitted,
  kReloadRolledBack,
  kReloadInvalid,
  kReloadSuperseded,
  kIpcErrors,
  kControlRequests,
  kControlRefused,
  kWorkersReady,
  kGenerations,
  kCount,
};

inline constexpr std::size_t kMetricCount = static_cast<std::size_t>(Metric::kCount);
inline constexpr Metric kFirstSupervisorMetric = Metric::kWorkerStarts;

// A counter never decreases and outlives the worker that counted; a gauge is summed over what runs.
enum class MetricType { kCounter, kGauge };

struct MetricInfo {
  Metric id;
  std::string_view name;    // Prometheus name with its prefix
  std::string_view labels;  // `reason="crashed"`, or empty
  MetricType type;
  std::string_view help;
};

const MetricInfo& metric_info(Metric metric);
inline const MetricInfo& metric_info(std::size_t index) {
  return metric_info(static_cast<Metric>(index));
}
// `name` or `name{labels}`: the key in `status --json` counters.
std::string metric_key(Metric metric);

}  // namespace servery
