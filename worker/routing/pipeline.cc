#include "worker/routing/pipeline.h"

#include <string>
#include <utility>

#include "worker/http/error_response.h"

namespace servery::routing {
namespace {

std::vector<RouteKey> keys_of(std::vector<Route>& routes) {
  std::vector<RouteKey> keys;
  keys.reserve(routes.size());
  for (Route& route : routes) {
    if (route.key.methods.empty()) route.key.methods = route.handler->methods();
    keys.push_back(route.key);
  }
  return keys;
}

// The same request at the canonical name: path and query as sent. A port that the canonical name
// does not give is kept, since the client reached us by it.
std::string canonical_location(const http::Exchange& exchange, const std::string& canonical) {
  const http::RequestHead& request = exchange.request();
  std::string location(exchange.scheme());
  location.append("://").append(canonical);
  const bool has_port = canonical.rfind(':') != std::string::npos && canonical.back() != ']';
  const std::size_t colon = request.authority.rfind(':');
  if (!has_port && colon != std::string_view::npos && !request.authority.ends_with(']')) {
    location.append(request.authority.substr(colon));
  }
  location.append(request.raw_path == "*" ? "/" : request.raw_path);
  if (request.has_query) location.append("?").append(request.query);
  return location;
}

// Who meets this has opened his own server by a name it does not know.
http::PreparedRef make_host_not_allowed(const http::HeaderPolicy* policy) {
  http::ResponseHead head{403, {}};
  head.fields.add(http::FieldId::kContentType, "text/plain; charset=utf-8");
  return http::make_prepared(std::move(head),
                             "403 Forbidden\nThis server is not known by that name. Its owner can "
                             "add it: --host NAME, or `hosts` in the configuration.\n",
                             policy);
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::create(PipelineParts parts) {
  Router router = SERVERY_TRY(Router::create(keys_of(parts.routes)));
  return std::unique_ptr<Pipeline>(new Pipeline(std::move(parts), std::move(router)));
}

Pipeline::Pipeline(PipelineParts parts, Router router)
    : parts_(std::move(parts)),
      router_(std::move(router)),
      host_rule_(std::move(parts_.hosts)),
      server_options_(http::make_options(router_.all_methods(), &parts_.headers)),
      host_not_allowed_(make_host_not_allowed(&parts_.headers)) {
  place_answers_.reserve(router_.places().size());
  for (const Router::Place& place : router_.places()) {
    const http::HeaderPolicy* policy = &parts_.routes[place.routes.front()].headers;
    place_answers_.push_back({http::make_method_not_allowed(place.methods, policy),
                              http::make_options(place.methods, policy)});
  }
  for (const Route& route : parts_.routes) {
    cors_.push_back(route.cors ? std::make_unique<const http::Cors>(*route.cors, route.key.methods,
                                                                    route.headers)
                               : nullptr);
    if (route.fallback) route.fallback->pipeline_ = this;
  }
}

// 1. The host rule stands before everything: a name that is not ours sees no route, no method list
//    and no redirect of ours.
// 2. `OPTIONS *` asks about the server, not a resource (RFC 9110 9.3.7).
// 3. A preflight asks whether another request may come (Fetch, "CORS-preflight request"). It has no
//    credentials and is no work: it stands before whatever asks for them or counts.
// 4. The route decides the header policy and the body limit; then its method.
// 5. The body limit stands before the stages and the handler, so that a body that is too large is
//    refused before 100-continue invites it.
void Pipeline::run(http::Exchange& exchange) {
  exchange.set_header_policy(&parts_.headers);
  exchange.set_body_limit(parts_.body_limit);
  if (!check_host(exchange)) return;
  const http::RequestHead& request = exchange.request();
  if (request.path == "*") {
    exchange.respond(server_options_);
    return;
  }
  if (answer_preflight(exchange)) return;
  const Router::Match match = router_.match(request.host, request.path, request.method);
  if (match.outcome == Router::Outcome::kNotFound) {
    exchange.respond_error({404, "no_route"});
    return;
  }
  enter_route(exchange, match.route);
  if (match.outcome == Router::Outcome::kMethodNotAllowed) {
    refuse_method(exchange, match);
  } else {
    run_route(exchange, match.route, match.matched);
  }
}

void FallbackRoute::run(http::Exchange& exchange) { pipeline_->fall_back(exchange, route_); }

// The stages of the route that found nothing have let the request pass; now those of this one. A
// stage that has to wait sends the request through run() anew: it comes here again. `matched` is
// looked up once more, so that a whole chain of routes has the same rest.
void Pipeline::fall_back(http::Exchange& exchange, std::uint32_t route) const {
  const http::RequestHead& request = exchange.request();
  const Router::Match own = router_.match(request.host, request.path, request.method);
  enter_route(exchange, route);
  run_route(exchange, route, own.matched);
}

void Pipeline::enter_route(http::Exchange& exchange, std::uint32_t route) const {
  exchange.set_header_policy(&parts_.routes[route].headers);
  exchange.set_body_limit(parts_.routes[route].body_limit);
  // Nothing of a route that was entered before.
  const auto& cors = cors_[route];
  exchange.set_extra_fields(cors ? cors->fields_for(exchange.request().fields) : nullptr);
  exchange.set_access({});
}

bool Pipeline::answer_preflight(http::Exchange& exchange) const {
  const http::RequestHead& request = exchange.request();
  const std::optional<http::Method> method = http::preflight_method(request);
  if (!method) return false;
  const Router::Match match = router_.match(request.host, request.path, *method);
  if (match.outcome == Router::Outcome::kNotFound || !cors_[match.route]) return false;
  enter_route(exchange, match.route);
  exchange.respond(cors_[match.route]->preflight(request));
  return true;
}

// What a proxy asked for must be ours too: a page that was led here by DNS rebinding can set any
// field but Host.
bool Pipeline::check_host(http::Exchange& exchange) const {
  using enum http::HostRule::Verdict;
  if (!exchange.proxy_host().empty()) {
    const http::HostRule::Verdict asked = host_rule_.check(exchange.proxy_host());
    if (asked == kUnknown || asked == kNotAllowed) return answer_host(exchange, asked);
  }
  return answer_host(exchange, host_rule_.check(exchange.request().host));
}

bool Pipeline::answer_host(http::Exchange& exchange, http::HostRule::Verdict verdict) const {
  switch (verdict) {
    case http::HostRule::Verdict::kServe:
      return true;
    case http::HostRule::Verdict::kUnknown:
      exchange.respond_error({404, "host_unknown"});
      break;
    case http::HostRule::Verdict::kNotAllowed:
      exchange.respond_error({403, "host_not_allowed"}, host_not_allowed_);
      break;
    case http::HostRule::Verdict::kRedirect: {
      http::ResponseHead head;
      head.status = 308;
      head.fields.add(http::FieldId::kLocation,
                      canonical_location(exchange, host_rule_.canonical_host()));
      exchange.respond(std::move(head), nullptr);
      break;
    }
  }
  return false;
}

void Pipeline::run_route(http::Exchange& exchange, std::uint32_t number,
                         std::uint32_t matched) const {
  const Route& route = parts_.routes[number];
  const http::RequestHead& request = exchange.request();
  if (route.body_limit > 0 && request.content_length > route.body_limit) {
    exchange.respond_error({413, "body_too_large"});
    return;
  }
  const RouteMatch found{number, request.path.substr(matched)};
  for (const std::unique_ptr<Stage>& stage : route.stages) {
    if (stage->check(exchange, found) == Stage::Verdict::kAnswered) return;
  }
  route.handler->handle(exchange, found);
}

// RFC 9110 9.3.7, 15.5.6.
void Pipeline::refuse_method(http::Exchange& exchange, const Router::Match& match) const {
  const PlaceAnswers& answers = place_answers_[match.place];
  const bool is_options = exchange.request().method == http::Method::kOptions;
  exchange.respond(is_options ? answers.options : answers.method_not_allowed);
}

}  // namespace servery::routing
