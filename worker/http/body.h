// Bodies as pull sources and push sinks, so that back-pressure and cancellation are one method
// each. Owned by the exchange (sources) or its handler (sinks); worker thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/base/result.h"

namespace servery::http {

// Told by a source that a pull that said kPending may now succeed. Never called from inside pull().
class SourceWaiter {
 public:
  virtual void on_source_ready() = 0;

 protected:
  ~SourceWaiter() = default;
};

// A response body.
// Order: set_waiter once; then pull() until kEnd or kError (then no more), or destruction at any
// time, which cancels outstanding work. After kPending no pull until on_source_ready().
class BodySource {
 public:
  enum class State { kBytes, kPending, kEnd, kError };
  struct Pull {
    State state = State::kEnd;
    std::size_t bytes = 0;  // written to `into`, for kBytes (> 0)
  };

  virtual ~BodySource() = default;
  virtual void set_waiter(SourceWaiter* waiter) = 0;
  // Total bytes this source will give, if known before the first pull.
  virtual std::optional<std::uint64_t> length() const = 0;
  // Must not block. kError ends the response abruptly (the head is out already).
  virtual Pull pull(std::span<char> into) = 0;
  // Takes back the last `bytes` of the last pull, so that the next pull gives them again: what a
  // full socket did not take needs no buffer of its own. False where the source cannot go back.
  virtual bool take_back(std::size_t /*bytes*/) { return false; }
};

// A request body's consumer. Order: on_bytes*, then at most one of on_end or on_abort (the last
// call). None of the two comes when the exchange ended first (the sink's owner answered, or the
// client went away): its task is destroyed and the transport forgets the sink.
class BodySink {
 public:
  // false: pause; the sink calls Exchange::resume_body() when it can take more.
  virtual bool on_bytes(std::span<const char> bytes) = 0;
  virtual void on_end() = 0;
  // The body cannot be completed (syntax, limit, deadline). The transport answers the error itself
  // if the handler has not answered yet.
  virtual void on_abort(const Error& error) = 0;

 protected:
  ~BodySink() = default;
};

}  // namespace servery::http
