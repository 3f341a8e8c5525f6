#include "worker/routing/pipeline.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_transport.h"
#include "worker/http/error_response.h"

namespace servery::routing {
namespace {

using http::Method;
using test::FakeExchange;

// Answers 200 with the rest that it was given.
class EchoRest final : public Handler {
 public:
  http::MethodSet methods() const override {
    http::MethodSet set;
    set.add(Method::kGet);
    set.add(Method::kHead);
    return set;
  }
  void handle(http::Exchange& exchange, const RouteMatch& match) override {
    http::ResponseHead head;
    head.fields.add("x-rest", std::string(match.rest) + "#" + std::to_string(match.route_id));
    exchange.respond(std::move(head), nullptr);
  }
};

class RefuseAll final : public Stage {
 public:
  Verdict check(http::Exchange& exchange, const RouteMatch& /*match*/) override {
    exchange.respond_error({401, "stage"});
    return Verdict::kAnswered;
  }
};

Route route(std::string path) {
  Route made;
  made.key.path = std::move(path);
  made.handler = std::make_unique<EchoRest>();
  return made;
}

class PipelineTest : public ::testing::Test {
 protected:
  void build() {
    auto made = Pipeline::create(std::move(parts));
    ASSERT_TRUE(made);
    pipeline = std::move(*made);
  }
  void run(FakeExchange& exchange) {
    ASSERT_FALSE(exchange.refusal) << exchange.refusal->reason;
    exchange.run(*pipeline);
    ASSERT_EQ(exchange.transport.answers, 1);
  }

  PipelineParts parts;
  std::unique_ptr<Pipeline> pipeline;
};

TEST_F(PipelineTest, HandlerGetsTheRestBehindItsPath) {
  parts.routes.push_back(route("/"));
  parts.routes.push_back(route("/drop"));
  build();
  FakeExchange exchange({.target = "/drop/a.txt"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 200);
  EXPECT_EQ(exchange.transport.field("x-rest"), "/a.txt#1");
}

TEST_F(PipelineTest, NoRouteIs404) {
  parts.routes.push_back(route("/only"));
  build();
  FakeExchange exchange({.target = "/other"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 404);
  EXPECT_EQ(exchange->reason(), "no_route");
}

TEST_F(PipelineTest, OtherMethodIs405WithAllow) {  // RFC 9110 15.5.6
  parts.routes.push_back(route("/"));
  build();
  FakeExchange exchange({.method = "DELETE"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 405);
  EXPECT_EQ(exchange.transport.field("allow"), "GET, HEAD, OPTIONS");
}

TEST_F(PipelineTest, OptionsIsAnsweredFromTheRoute) {  // RFC 9110 9.3.7
  parts.routes.push_back(route("/"));
  parts.routes.push_back(route("/post"));
  parts.routes.back().key.methods.add(Method::kPost);
  build();
  FakeExchange one({.method = "OPTIONS", .target = "/post/x"});
  run(one);
  EXPECT_EQ(one.transport.status, 204);
  EXPECT_EQ(one.transport.field("allow"), "POST, OPTIONS");
  FakeExchange server({.method = "OPTIONS", .target = "*"});
  run(server);
  EXPECT_EQ(server.transport.status, 204);
  EXPECT_EQ(server.transport.field("allow"), "GET, HEAD, POST, OPTIONS");
}

TEST_F(PipelineTest, ARouteOfAnyMethodAnswersOptionsItself) {
  parts.routes.push_back(route("/"));
  parts.routes.back().key.methods = http::MethodSet::any();
  build();
  FakeExchange exchange({.method = "OPTIONS"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 200);
}

Route cors_route(std::string path) {
  Route made = route(std::move(path));
  made.cors.emplace();
  made.cors->origins = {"https://app.example"};
  made.stages.push_back(std::make_unique<RefuseAll>());
  http::add_cors_defaults(made.headers, *made.cors);
  return made;
}

TEST_F(PipelineTest, APreflightIsAnsweredBeforeTheStages) {  // Fetch, "CORS protocol"
  parts.routes.push_back(cors_route("/"));
  build();
  FakeExchange exchange(
      {.method = "OPTIONS",
       .fields = {{"origin", "https://app.example"}, {"access-control-request-method", "GET"}}});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 204);
  EXPECT_EQ(exchange.transport.field("access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(exchange.transport.field("access-control-allow-methods"), "GET, HEAD, OPTIONS");
}

TEST_F(PipelineTest, ErrorsCarryTheCorsFields) {
  parts.routes.push_back(cors_route("/"));
  build();
  FakeExchange exchange({.fields = {{"origin", "https://app.example"}}});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 401);
  EXPECT_EQ(exchange.transport.field("access-control-allow-origin"), "https://app.example");
  EXPECT_EQ(exchange.transport.field("vary"), "Origin");
  FakeExchange other({.fields = {{"origin", "https://other.example"}}});
  run(other);
  EXPECT_EQ(other.transport.field("access-control-allow-origin"), "");
}

TEST_F(PipelineTest, WithoutCorsAPreflightIsAPlainOptions) {
  parts.routes.push_back(route("/"));
  build();
  FakeExchange exchange(
      {.method = "OPTIONS",
       .fields = {{"origin", "https://app.example"}, {"access-control-request-method", "GET"}}});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 204);
  EXPECT_EQ(exchange.transport.field("access-control-allow-methods"), "");
}

TEST_F(PipelineTest, HostRuleStandsBeforeEverything) {
  parts.hosts = {.hosts = {"www.example.org"}};
  parts.routes.push_back(route("/"));
  build();
  FakeExchange unknown({.method = "OPTIONS", .target = "*", .host = "evil.com"});
  run(unknown);
  EXPECT_EQ(unknown.transport.status, 404);
  EXPECT_EQ(unknown->reason(), "host_unknown");
  FakeExchange known({.host = "www.example.org:8000"});
  run(known);
  EXPECT_EQ(known.transport.status, 200);
}

// What a proxy asked for and what it was asked for.
TEST_F(PipelineTest, TheHostRuleHoldsForBothHosts) {
  parts.hosts = {.hosts = {"a.example", "b.example"}, .canonical_host = "a.example"};
  parts.routes.push_back(route("/"));
  build();
  const auto ask = [this](std::string proxy, std::string_view forwarded) {
    FakeExchange exchange({.host = std::move(proxy)});
    exchange->set_forwarded("192.0.2.1", "https");
    exchange->set_forwarded_host(forwarded, forwarded);
    run(exchange);
    return std::to_string(exchange.transport.status) + exchange.transport.field("location");
  };
  EXPECT_EQ(ask("a.example", "A.example."), "200");
  EXPECT_EQ(ask("b.example", "a.example"), "200") << "only the client is redirected";
  EXPECT_EQ(ask("a.example", "b.example"), "308https://a.example/");
  EXPECT_EQ(ask("a.example", "evil.example"), "404");
  EXPECT_EQ(ask("evil.example", "a.example"), "404");
}

TEST_F(PipelineTest, LocalGuardIs403) {
  parts.hosts = {.local_guard = true};
  parts.routes.push_back(route("/"));
  build();
  FakeExchange exchange({.host = "rebound.example"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 403);
  EXPECT_EQ(exchange->reason(), "host_not_allowed");
}

TEST_F(PipelineTest, CanonicalHostKeepsPathQueryAndPort) {
  parts.hosts = {.hosts = {"www.example.org"}, .canonical_host = "example.org"};
  parts.routes.push_back(route("/"));
  build();
  FakeExchange exchange({.target = "/a%20b/../c?x=%2f", .host = "www.example.org:8000"});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 308);
  EXPECT_EQ(exchange.transport.field("location"), "http://example.org:8000/a%20b/../c?x=%2f");
  FakeExchange plain({.host = "www.example.org"});
  run(plain);
  EXPECT_EQ(plain.transport.field("location"), "http://example.org/");
}

TEST_F(PipelineTest, CanonicalPortReplacesTheRequests) {
  parts.hosts = {.hosts = {"*"}, .canonical_host = "example.org:8443"};
  build();
  FakeExchange exchange({.host = "[::1]:8000"});
  run(exchange);
  EXPECT_EQ(exchange.transport.field("location"), "http://example.org:8443/");
}

TEST_F(PipelineTest, DeclaredBodyOverTheLimitIs413BeforeTheHandler) {
  parts.routes.push_back(route("/"));
  parts.routes.back().key.methods = http::MethodSet::any();
  parts.routes.back().body_limit = 10;
  build();
  FakeExchange at_limit({.method = "POST", .fields = {{"content-length", "10"}}});
  run(at_limit);
  EXPECT_EQ(at_limit.transport.status, 200);
  EXPECT_EQ(at_limit->body_limit(), 10U);
  FakeExchange over({.method = "POST", .fields = {{"content-length", "11"}}});
  run(over);
  EXPECT_EQ(over.transport.status, 413);
}

TEST_F(PipelineTest, TheFirstStageThatAnswersEndsTheRun) {
  parts.routes.push_back(route("/"));
  parts.routes.back().stages.push_back(std::make_unique<RefuseAll>());
  build();
  FakeExchange exchange({});
  run(exchange);
  EXPECT_EQ(exchange.transport.status, 401);
}

TEST_F(PipelineTest, EveryAnswerCarriesItsPolicy) {
  parts.headers.set = {{"x-top", "1"}};
  parts.routes.push_back(route("/r"));
  parts.routes.back().headers.set = {{"x-route", "1"}};
  build();
  FakeExchange ok({.target = "/r"});
  run(ok);
  EXPECT_EQ(ok.transport.field("x-route"), "1");
  FakeExchange refused({.method = "PUT", .target = "/r"});
  run(refused);
  EXPECT_EQ(refused.transport.field("x-route"), "1");
  FakeExchange missing({.target = "/none"});
  run(missing);
  EXPECT_EQ(missing.transport.field("x-top"), "1");
}

// Has nothing: hands on what its route falls back to.
class FindsNothing final : public Handler {
 public:
  explicit FindsNothing(std::shared_ptr<Fallback> fallback) : fallback_(std::move(fallback)) {}
  http::MethodSet methods() const override { return EchoRest().methods(); }
  void handle(http::Exchange& exchange, const RouteMatch& /*match*/) override {
    fallback_->run(exchange);
  }

 private:
  std::shared_ptr<Fallback> fallback_;
};

Route falling_route(std::string path, std::uint32_t to) {
  Route made;
  made.key.path = std::move(path);
  made.fallback = std::make_shared<FallbackRoute>(to);
  made.handler = std::make_unique<FindsNothing>(made.fallback);
  return made;
}

// Waits once, then lets pass, as a stage that has to look something up.
class PassSecondTime final : public Stage {
 public:
  Verdict check(http::Exchange& exchange, const RouteMatch& match) override {
    rests.emplace_back(match.rest);
    if (std::exchange(passes, true)) return Verdict::kContinue;
    exchange.restart();
    return Verdict::kAnswered;
  }
  bool passes = false;
  std::vector<std::string> rests;
};

TEST_F(PipelineTest, AFallbackRunsTheWholePolicyOfItsRouteOnTheSameRest) {
  parts.routes.push_back(cors_route("/longer/a"));
  parts.routes[0].stages.clear();
  parts.routes[0].fallback = std::make_shared<FallbackRoute>(1);
  parts.routes[0].handler = std::make_unique<FindsNothing>(parts.routes[0].fallback);
  parts.routes[0].headers.set = {{"x-a", "1"}};
  parts.routes.push_back(falling_route("/b", 2));
  parts.routes.push_back(route("/c"));
  parts.routes[2].headers.set = {{"x-c", "1"}};
  parts.routes[2].body_limit = 10;
  build();
  FakeExchange exchange({.target = "/longer/a/x/y", .fields = {{"origin", "https://app.example"}}});
  run(exchange);
  EXPECT_EQ(exchange.transport.field("x-rest"), "/x/y#2");
  EXPECT_EQ(exchange.transport.field("x-c"), "1");
  EXPECT_EQ(exchange.transport.field("x-a"), "");
  EXPECT_EQ(exchange.transport.field("access-control-allow-origin"), "") << "of the other route";
  FakeExchange large({.target = "/b/x", .fields = {{"content-length", "11"}}});
  run(large);
  EXPECT_EQ(large.transport.status, 413);
}

TEST_F(PipelineTest, BothRoutesStagesStandBeforeAFallback) {
  for (const std::size_t closed : {0U, 1U}) {
    parts = {};
    parts.routes.push_back(falling_route("/a", 1));
    parts.routes.push_back(route("/b"));
    parts.routes[closed].stages.push_back(std::make_unique<RefuseAll>());
    build();
    FakeExchange exchange({.target = "/a/x"});
    run(exchange);
    EXPECT_EQ(exchange.transport.status, 401) << closed;
  }
}

TEST_F(PipelineTest, AStageOfAFallbackMayStartTheRequestAnew) {
  parts.routes.push_back(falling_route("/a", 1));
  parts.routes.push_back(route("/b"));
  auto stage = std::make_unique<PassSecondTime>();
  const PassSecondTime& seen = *stage;
  parts.routes[1].stages.push_back(std::move(stage));
  build();
  FakeExchange exchange({.target = "/a/x"});
  run(exchange);
  EXPECT_EQ(exchange.transport.field("x-rest"), "/x#1");
  EXPECT_EQ(seen.rests, (std::vector<std::string>{"/x", "/x"}));
}

TEST_F(PipelineTest, WhatOneRouteKnowsOfAClientIsNotTheFallbacks) {
  class Admit final : public Stage {
   public:
    Verdict check(http::Exchange& exchange, const RouteMatch& /*match*/) override {
      http::Access access;
      access.is_known_user = true;
      exchange.set_access(access);
      return Verdict::kContinue;
    }
  };
  parts.routes.push_back(falling_route("/a", 1));
  parts.routes.push_back(route("/b"));
  parts.routes[0].stages.push_back(std::make_unique<Admit>());
  build();
  FakeExchange exchange({.target = "/a/x"});
  run(exchange);
  EXPECT_FALSE(exchange->access().is_known_user);
}

TEST_F(PipelineTest, AmbiguousRoutesAreRefused) {
  parts.routes.push_back(route("/a"));
  parts.routes.push_back(route("/a"));
  EXPECT_FALSE(Pipeline::create(std::move(parts)));
}

}  // namespace
}  // namespace servery::routing
