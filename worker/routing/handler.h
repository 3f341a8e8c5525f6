// Handler and Stage: what a feature implements to answer requests. Built once per route from the
// settings, shared by all connections of the worker; worker thread only.
#pragma once

#include <string_view>

#include "worker/http/exchange.h"

namespace servery::routing {

// What the router found: the rest of the path behind the route's prefix, and the host pattern's
// match. Views into the request; valid while the exchange lives.
struct RouteMatch {
  std::uint32_t route_id = 0;
  std::string_view rest;  // "/a.txt" for /drop/a.txt in route /drop; "" or "/" for the route itself
};

class Handler {
 public:
  virtual ~Handler() = default;
  // Methods this handler takes when the route names none; the rest is answered 405 with Allow.
  virtual http::MethodSet methods() const = 0;
  // Answers `exchange` now or later (through a task set on it). Never blocks, never throws.
  virtual void handle(http::Exchange& exchange, const RouteMatch& match) = 0;
};

// Where a handler hands a request for which it has nothing; the pipeline knows which route that is.
class Fallback {
 public:
  virtual ~Fallback() = default;
  // Answers `exchange` now or later.
  virtual void run(http::Exchange& exchange) = 0;
};

// A check that stands before the handler. A route's stages run in order; the first that does not
// continue ends the run.
class Stage {
 public:
  // kAnswered: now, or later: by a task, which may also send the request through the pipeline anew
  // (Exchange::restart()).
  enum class Verdict { kContinue, kAnswered };
  virtual ~Stage() = default;
  virtual Verdict check(http::Exchange& exchange, const RouteMatch& match) = 0;
};

}  // namespace servery::routing
