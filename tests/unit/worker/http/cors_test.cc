#include "worker/http/cors.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

constexpr const char* kApp = "https://app.example.org";

MethodSet get_only() {
  MethodSet methods;
  methods.add(Method::kGet);
  return methods;
}

CorsRules rules_for(std::vector<std::string> origins) {
  CorsRules rules;
  rules.origins = std::move(origins);
  rules.allowed_headers = {"Range", "X-Token"};
  rules.exposed_headers = {"ETag"};
  rules.max_age = std::chrono::seconds(600);
  return rules;
}

RequestHead preflight(std::string_view origin, std::string_view method = "GET") {
  RequestHead request;
  request.method = Method::kOptions;
  request.fields.add({FieldId::kOrigin, "origin", origin});
  request.fields.add({FieldId::kOther, "access-control-request-method", method});
  return request;
}

struct Route {
  explicit Route(CorsRules given) : rules(std::move(given)) {
    add_cors_defaults(policy, rules);
    cors = std::make_unique<Cors>(rules, get_only(), policy);
  }
  CorsRules rules;
  HeaderPolicy policy;
  std::unique_ptr<Cors> cors;
};

std::string value(const ResponseFields& fields, std::string_view name) {
  const std::string* found = fields.find(name);
  return found == nullptr ? std::string() : *found;
}

TEST(Cors, AnAllowedOriginIsNamedAndTheAnswerVaries) {
  CorsRules rules = rules_for({"https://x.example", kApp});
  rules.credentials = true;
  const Route route(rules);
  const ResponseFields* fields = route.cors->fields_for(preflight(kApp).fields);
  ASSERT_NE(fields, nullptr);
  EXPECT_EQ(value(*fields, "access-control-allow-origin"), kApp);
  EXPECT_EQ(value(*fields, "access-control-allow-credentials"), "true");
  ResponseFields every;
  route.policy.apply(every);
  EXPECT_EQ(value(every, "vary"), "Origin");
  EXPECT_EQ(value(every, "access-control-expose-headers"), "ETag");
  EXPECT_EQ(every.find("access-control-allow-origin"), nullptr);
}

TEST(Cors, AnotherOriginGetsNothing) {
  const Route route(rules_for({kApp}));
  for (const char* origin : {"https://evil.example", "null", "https://app.example.org.evil.example",
                             "HTTPS://APP.EXAMPLE.ORG", "http://app.example.org", "*", ""}) {
    EXPECT_EQ(route.cors->fields_for(preflight(origin).fields), nullptr) << origin;
    const PreparedRef& answer = route.cors->preflight(preflight(origin));
    EXPECT_EQ(answer->status, 204);
    EXPECT_EQ(answer->fields.find("access-control-allow-methods"), nullptr) << origin;
    EXPECT_EQ(value(answer->fields, "vary"), "Origin");
  }
}

TEST(Cors, TwoOriginsAreNone) {
  const Route route(rules_for({kApp}));
  RequestHead request = preflight(kApp);
  request.fields.add({FieldId::kOrigin, "origin", kApp});
  EXPECT_EQ(route.cors->fields_for(request.fields), nullptr);
}

TEST(Cors, AnyOriginDoesNotVary) {
  const Route route(rules_for({"*"}));
  ResponseFields every;
  route.policy.apply(every);
  EXPECT_EQ(value(every, "access-control-allow-origin"), "*");
  EXPECT_EQ(every.find("vary"), nullptr);
  EXPECT_EQ(route.cors->fields_for(preflight("https://any.example").fields), nullptr);
}

TEST(Cors, APreflightSaysWhatMayCome) {
  const Route route(rules_for({kApp}));
  const ResponseFields& fields = route.cors->preflight(preflight(kApp))->fields;
  EXPECT_EQ(value(fields, "access-control-allow-methods"), "GET, OPTIONS");
  EXPECT_EQ(value(fields, "access-control-allow-headers"), "Range, X-Token");
  EXPECT_EQ(value(fields, "access-control-max-age"), "600");
}

TEST(Cors, APrivateNetworkIsOpenedOnlyWhereConfiguredAndAsked) {
  CorsRules rules = rules_for({kApp});
  const auto opens = [](const Route& route, const RequestHead& request) {
    return route.cors->preflight(request)->fields.find("access-control-allow-private-network") !=
           nullptr;
  };
  RequestHead asks = preflight(kApp);
  asks.fields.add({FieldId::kOther, "access-control-request-private-network", "true"});
  EXPECT_FALSE(opens(Route(rules), asks));
  rules.private_network = true;
  EXPECT_TRUE(opens(Route(rules), asks));
  EXPECT_FALSE(opens(Route(rules), preflight(kApp)));
}

TEST(Cors, OnlyOptionsWithOriginAndMethodIsAPreflight) {
  EXPECT_EQ(preflight_method(preflight(kApp, "PUT")), Method::kPut);
  EXPECT_EQ(preflight_method(preflight(kApp, "BREW")), Method::kUnknown);
  RequestHead get = preflight(kApp);
  get.method = Method::kGet;
  EXPECT_EQ(preflight_method(get), std::nullopt);
  RequestHead plain;
  plain.method = Method::kOptions;
  EXPECT_EQ(preflight_method(plain), std::nullopt);
  plain.fields.add({FieldId::kOrigin, "origin", kApp});
  EXPECT_EQ(preflight_method(plain), std::nullopt);
}

}  // namespace
}  // namespace servery::http
