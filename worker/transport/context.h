// What all connections of a worker share: the loop, the limits, the buffers, the pool of streams.
// Owned by the worker and outliving every connection; worker thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "common/base/clock.h"
#include "common/loop/loop.h"
#include "worker/http/date.h"
#include "worker/http/exchange.h"
#include "worker/http/request_rules.h"
#include "worker/transport/deadlines.h"
#include "worker/transport/h1_stream_pool.h"
#include "worker/transport/metric_words.h"
#include "worker/transport/output_buffer.h"

namespace servery::transport {

class Connection;

// Hears of a connection's changes; Connections implements it.
class ConnectionOwner {
 public:
  // The connection is over: it is destroyed at the end of the turn.
  virtual void on_closed(Connection& connection) = 0;
  // Draining only: nothing is begun or pending on it any more.
  virtual void on_idle(Connection& connection) = 0;

 protected:
  ~ConnectionOwner() = default;
};

struct TransportLimits {
  http::HeadLimits head;
  std::uint64_t requests_per_connection = 0;  // 0: unlimited
  Milliseconds header_timeout{0};
  Milliseconds body_timeout{0};
  Milliseconds write_timeout{0};
  Milliseconds keepalive_timeout{0};
};

// What becomes of a connection that is idle, or becomes so.
enum class Drain : std::uint8_t {
  kNone,      // kept alive
  kAtOnce,    // ended
  kHandOver,  // offered to another worker; where that fails ended after a grace, but not before its
              // first request has had its time
};

struct TransportContext {
  static constexpr std::size_t kReadBuffer = 64 * 1024;
  static constexpr Milliseconds kLinger{2'000};
  static constexpr Milliseconds kGrace{2'000};

  TransportContext(Loop& loop_in, const Clock& clock_in, const TransportLimits& limits_in,
                   http::RequestTarget& target_in, http::ExchangeObserver& observer_in,
                   const http::HeaderPolicy& policy_in, MetricWords metrics_in)
      : loop(loop_in),
        clock(clock_in),
        limits(limits_in),
        target(target_in),
        observer(observer_in),
        policy(policy_in),
        metrics(metrics_in),
        deadlines(loop_in, durations(limits_in)),
        streams(*this) {}

  std::span<char> read_buffer() { return {read_buffer_.get(), kReadBuffer}; }
  std::string_view date_line() { return date_.line(clock.wall()); }

  Loop& loop;
  const Clock& clock;  // the wall time of the turn
  const TransportLimits limits;
  http::RequestTarget& target;
  http::ExchangeObserver& observer;
  const http::HeaderPolicy& policy;  // the top level's, for heads that were refused
  MetricWords metrics;
  Deadlines deadlines;
  OutputBuffer output;
  H1StreamPool streams;
  Drain drain = Drain::kNone;

 private:
  static Deadlines::Durations durations(const TransportLimits& limits) {
    return {limits.header_timeout,
            limits.header_timeout,
            limits.body_timeout,
            Milliseconds{0},
            limits.write_timeout,
            limits.keepalive_timeout,
            kGrace,
            kLinger};
  }

  http::DateCache date_;
  std::unique_ptr<char[]> read_buffer_{new char[kReadBuffer]};
};

}  // namespace servery::transport
