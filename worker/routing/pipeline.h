// What every checked request goes through before a handler sees it, in one visible order: host
// rule, route, method, body limit, the route's stages, the handler. Built once from the settings,
// shared by all connections of the worker; worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "worker/http/cors.h"
#include "worker/http/exchange.h"
#include "worker/http/host_rule.h"
#include "worker/routing/handler.h"
#include "worker/routing/router.h"

namespace servery::routing {

class Pipeline;

// What a route's handler holds of the route that takes over.
class FallbackRoute final : public Fallback {
 public:
  explicit FallbackRoute(std::uint32_t route) : route_(route) {}
  void run(http::Exchange& exchange) override;

 private:
  friend class Pipeline;
  const Pipeline* pipeline_ = nullptr;  // set by it, which owns the handlers
  std::uint32_t route_;
};

struct Route {
  RouteKey key;  // methods empty: what the handler takes
  std::unique_ptr<Handler> handler;
  std::vector<std::unique_ptr<Stage>> stages;
  http::HeaderPolicy headers;  // merged with the top level's
  std::optional<http::CorsRules> cors;
  std::uint64_t body_limit = 0;                       // 0: unlimited
  std::shared_ptr<FallbackRoute> fallback = nullptr;  // of the handler; null: none
};

struct PipelineParts {
  std::vector<Route> routes;
  http::HostRuleSettings hosts;
  http::HeaderPolicy headers;    // the top level's, for answers without a route
  std::uint64_t body_limit = 0;  // likewise
};

class Pipeline final : public http::RequestTarget {
 public:
  static Result<std::unique_ptr<Pipeline>> create(PipelineParts parts);
  void run(http::Exchange& exchange) override;
  // As if `route` had been asked, with the rest of the path that the request's own route has.
  void fall_back(http::Exchange& exchange, std::uint32_t route) const;

 private:
  // Answers of one place in the router, made at build time with the policy of its first route.
  struct PlaceAnswers {
    http::PreparedRef method_not_allowed;
    http::PreparedRef options;
  };

  Pipeline(PipelineParts parts, Router router);
  // True: it is served; else it is answered.
  bool check_host(http::Exchange& exchange) const;
  bool answer_host(http::Exchange& exchange, http::HostRule::Verdict verdict) const;
  bool answer_preflight(http::Exchange& exchange) const;
  void enter_route(http::Exchange& exchange, std::uint32_t route) const;
  void run_route(http::Exchange& exchange, std::uint32_t number, std::uint32_t matched) const;
  void refuse_method(http::Exchange& exchange, const Router::Match& match) const;

  PipelineParts parts_;
  Router router_;
  http::HostRule host_rule_;
  std::vector<PlaceAnswers> place_answers_;
  std::vector<std::unique_ptr<const http::Cors>> cors_;  // by route; null: none
  http::PreparedRef server_options_;                     // OPTIONS *
  http::PreparedRef host_not_allowed_;                   // of the local profile
};

}  // namespace servery::routing
