#include "common/base/metrics.h"

#include <array>

namespace servery {
namespace {

using enum MetricType;

constexpr std::array<MetricInfo, kMetricCount> kMetrics{{
    {Metric::kAccepted, "servery_accepted_total", "", kCounter, "Connections accepted."},
    {Metric::kConnections, "servery_connections", "", kGauge, "Connections open."},
    {Metric::kRequests, "servery_requests_total", "", kCounter, "Requests answered."},
    {Metric::kResponses1xx, "servery_responses_total", "class=\"1xx\"", kCounter,
     "Responses by status class."},
    {Metric::kResponses2xx, "servery_responses_total", "class=\"2xx\"", kCounter,
     "Responses by status class."},
    {Metric::kResponses3xx, "servery_responses_total", "class=\"3xx\"", kCounter,
     "Responses by status class."},
    {Metric::kResponses4xx, "servery_responses_total", "class=\"4xx\"", kCounter,
     "Responses by status class."},
    {Metric::kResponses5xx, "servery_responses_total", "class=\"5xx\"", kCounter,
     "Responses by status class."},
    {Metric::kRequestBytes, "servery_request_bytes_total", "", kCounter,
     "Bytes received from clients."},
    {Metric::kResponseBytes, "servery_response_bytes_total", "", kCounter,
     "Bytes sent to clients."},
    {Metric::kResponsesAborted, "servery_responses_aborted_total", "", kCounter,
     "Responses cut off before their end."},
    {Metric::kShedConnections, "servery_shed_total", "reason=\"connections\"", kCounter,
     "Connections refused."},
    {Metric::kShedDescriptors, "servery_shed_total", "reason=\"descriptors\"", kCounter,
     "Connections refused."},
    {Metric::kAcceptErrors, "servery_accept_errors_total", "", kCounter,
     "Failed accept calls, other than for want of a client."},
    {Metric::kMalformedRequests, "servery_malformed_requests_total", "", kCounter,
     "Requests that broke a rule of HTTP."},
    {Metric::kHostRefused, "servery_refused_total", "reason=\"host_not_allowed\"", kCounter,
     "Requests refused by a rule of this server."},
    {Metric::kAddressRefused, "servery_refused_total", "reason=\"address_denied\"", kCounter,
     "Requests refused by a rule of this server."},
    {Metric::kTimeoutHeader, "servery_timeouts_total", "phase=\"header\"", kCounter,
     "Deadlines that closed a connection."},
    {Metric::kTimeoutBody, "servery_timeouts_total", "phase=\"body\"", kCounter,
     "Deadlines that closed a connection."},
    {Metric::kTimeoutWrite, "servery_timeouts_total", "phase=\"write\"", kCounter,
     "Deadlines that closed a connection."},
    {Metric::kTimeoutKeepalive, "servery_timeouts_total", "phase=\"keepalive\"", kCounter,
     "Deadlines that closed a connection."},
    {Metric::kCacheHits, "servery_cache_hits_total", "", kCounter, "Answers from the hot cache."},
    {Metric::kCacheMisses, "servery_cache_misses_total", "", kCounter,
     "Files looked for in the hot cache and not found."},
    {Metric::kCacheProofs, "servery_cache_proofs_total", "", kCounter,
     "Times a cached file was compared with the file system."},
    {Metric::kCacheProofFailures, "servery_cache_proof_failures_total", "", kCounter,
     "Cached files that had changed."},
    {Metric::kCacheEvictions, "servery_cache_evictions_total", "", kCounter,
     "Cached files dropped for room."},
    {Metric::kCacheEntries, "servery_cache_entries", "", kGauge, "Files in the hot cache."},
    {Metric::kCacheBytes, "servery_cache_bytes", "", kGauge, "Bytes in the hot cache."},
    {Metric::kCompressionEncoded, "servery_compression_encoded_total", "", kCounter,
     "Files coded whole."},
    {Metric::kCompressionJoined, "servery_compression_joined_total", "", kCounter,
     "Answers that waited for a coding under way."},
    {Metric::kCompressionStreamed, "servery_compression_streamed_total", "", kCounter,
     "Bodies coded while they were sent."},
    {Metric::kCompressionSaturated, "servery_compression_saturated_total", "", kCounter,
     "Answers given plain or refused because there was no room to code them."},
    {Metric::kCompressionInFlight, "servery_compression_in_flight", "", kGauge,
     "Codings under way or waiting."},
    {Metric::kCompressionCacheHits, "servery_compression_cache_hits_total", "", kCounter,
     "Answers from the cache of coded files."},
    {Metric::kCompressionCacheEntries, "servery_compression_cache_entries", "", kGauge,
     "Files in the cache of coded files."},
    {Metric::kCompressionCacheBytes, "servery_compression_cache_bytes", "", kGauge,
     "Bytes in the cache of coded files."},
    {Metric::kDigestComputed, "servery_digest_computed_total", "", kCounter,
     "Digests computed, for answers or entity tags."},
    {Metric::kDigestJoined, "servery_digest_joined_total", "", kCounter,
     "Answers that waited for a digest under way."},
    {Metric::kDigestReused, "servery_digest_reused_total", "", kCounter,
     "Digests taken from those that are kept."},
    {Metric::kDigestSaturated, "servery_digest_saturated_total", "", kCounter,
     "Digests left out because there was no room to compute them."},
    {Metric::kDigestInFlight, "servery_digest_in_flight", "", kGauge,
     "Digests being computed or waiting."},
    {Metric::kDigestCacheEntries, "servery_digest_cache_entries", "", kGauge, "Digests kept."},
    {Metric::kAuthRight, "servery_auth_total", "result=\"right\"", kCounter,
     "Passwords sent: checked, or refused before that."},
    {Metric::kAuthWrong, "servery_auth_total", "result=\"wrong\"", kCounter,
     "Passwords sent: checked, or refused before that."},
    {Metric::kAuthThrottled, "servery_auth_total", "result=\"throttled\"", kCounter,
     "Passwords sent: checked, or refused before that."},
    {Metric::kAuthBusy, "servery_auth_total", "result=\"busy\"", kCounter,
     "Passwords sent: checked, or refused before that."},
    {Metric::kPoolQueued, "servery_pool_queued", "", kGauge, "Jobs waiting for a pool thread."},
    {Metric::kPoolRunning, "servery_pool_running", "", kGauge, "Jobs on pool threads."},
    {Metric::kPoolRefused, "servery_pool_refused_total", "", kCounter,
     "Jobs refused because the pool's queue was full."},
    {Metric::kHandoverSent, "servery_handover_sent_total", "", kCounter,
     "Idle connections handed to the next generation."},
    {Metric::kHandoverReceived, "servery_handover_received_total", "", kCounter,
     "Idle connections taken over from the generation before."},
    {Metric::kHandoverKept, "servery_handover_kept_total", "", kCounter,
     "Idle connections offered for handover and not taken."},
    {Metric::kLeavingAccepted, "servery_leaving_accepted_total", "", kCounter,
     "Connections accepted from a listening socket that was about to close."},
    {Metric::kLeavingLeftover, "servery_leaving_leftover_total", "", kCounter,
     "Half-open connections given up when a listening socket closed."},
    {Metric::kDrainClosedIdle, "servery_drain_closed_total", "", kCounter,
     "Idle connections closed in a drain."},
    {Metric::kDrainForced, "servery_drain_forced_total", "", kCounter,
     "Connections with work cut off at the drain deadline."},
    {Metric::kWithoutOpenat2, "servery_workers_without", "call=\"openat2\"", kGauge,
     "Workers that do without a call the kernel refused for one of their roots."},
    {Metric::kWithoutResolveCached, "servery_workers_without", "call=\"resolve_cached\"", kGauge,
     "Workers that do without a call the kernel refused for one of their roots."},
    {Metric::kWorkerStarts, "servery_worker_starts_total", "", kCounter, "Workers started."},
    {Metric::kRestartBootFailed, "servery_worker_restarts_total", "reason=\"boot_failed\"",
     kCounter, "Workers replaced."},
    {Metric::kRestartCrashed, "servery_worker_restarts_total", "reason=\"crashed\"", kCounter,
     "Workers replaced."},
    {Metric::kRestartHung, "servery_worker_restarts_total", "reason=\"hung\"", kCounter,
     "Workers replaced."},
    {Metric::kRestartKilled, "servery_worker_restarts_total", "reason=\"killed\"", kCounter,
     "Workers replaced."},
    {Metric::kRestartOom, "servery_worker_restarts_total", "reason=\"oom\"", kCounter,
     "Workers replaced."},
    {Metric::kRestartDrained, "servery_worker_restarts_total", "reason=\"drained\"", kCounter,
     "Workers replaced."},
    {Metric::kCrashLoops, "servery_crash_loops_total", "", kCounter,
     "Times a slot went into its crash loop."},
    {Metric::kSuspects, "servery_suspects_total", "", kCounter,
     "Times a worker missed its heartbeats."},
    {Metric::kAdoptions, "servery_adoptions_total", "", kCounter,
     "Listening sockets lent to another worker."},
    {Metric::kSpares, "servery_spares_total", "", kCounter, "Spare workers started."},
    {Metric::kClockGaps, "servery_clock_gaps_total", "", kCounter,
     "Times the supervisor itself had been suspended."},
    {Metric::kReloadCommitted, "servery_reloads_total", "verdict=\"committed\"", kCounter,
     "Reloads by verdict."},
    {Metric::kReloadRolledBack, "servery_reloads_total", "verdict=\"rolled_back\"", kCounter,
     "Reloads by verdict."},
    {Metric::kReloadInvalid, "servery_reloads_total", "verdict=\"invalid\"", kCounter,
     "Reloads by verdict."},
    {Metric::kReloadSuperseded, "servery_reloads_superseded_total", "", kCounter,
     "Waiting reloads answered by a later one."},
    {Metric::kIpcErrors, "servery_ipc_errors_total", "", kCounter,
     "Worker channels ended for a bad message."},
    {Metric::kControlRequests, "servery_control_requests_total", "", kCounter,
     "Requests on the control socket."},
    {Metric::kControlRefused, "servery_control_refused_total", "", kCounter,
     "Control clients turned away."},
    {Metric::kWorkersReady, "servery_workers_ready", "", kGauge,
     "Ready workers of the current generation."},
    {Metric::kGenerations, "servery_generations", "", kGauge, "Generations with a worker left."},
}};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (static_cast<std::size_t>(kMetrics[i].id) != i || kMetrics[i].name.empty()) return false;
  }
  return true;
}
static_assert(rows_are_in_order(), "one row per Metric, in the order of the enumeration");

}  // namespace

const MetricInfo& metric_info(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

std::string metric_key(Metric metric) {
  const MetricInfo& info = metric_info(metric);
  std::string key(info.name);
  if (!info.labels.empty()) {
    key += '{';
    key += info.labels;
    key += '}';
  }
  return key;
}

}  // namespace servery
