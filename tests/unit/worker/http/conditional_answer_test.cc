#include "worker/http/conditional_answer.h"

#include <gtest/gtest.h>

#include "tests/support/fake_transport.h"

namespace servery::http {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::string_view kTag = "\"tag\"";

ResponseFields fields() {
  ResponseFields fields;
  for (const char* name : {"accept-ranges", "cache-control", "content-disposition", "content-type",
                           "etag", "last-modified", "vary"}) {
    fields.add(name, "x");
  }
  return fields;
}

struct Target final : RequestTarget {
  void run(Exchange& exchange) override {
    answered =
        answer_conditional(exchange, {.etag = kTag, .has_last_modified = false}, fields(), kNow);
    if (!answered) exchange.respond({200, fields()}, nullptr);
  }
  bool answered = false;
};

TEST(ConditionalAnswer, NotModifiedRepeatsWhatGuidesCaches) {  // RFC 9110 15.4.5
  test::FakeExchange exchange({.fields = {{"if-none-match", "\"tag\""}}});
  Target target;
  exchange.run(target);
  EXPECT_TRUE(target.answered);
  EXPECT_EQ(exchange.transport.status, 304);
  std::string names;
  for (const ResponseField& field : exchange.transport.fields) names += field.name + " ";
  EXPECT_EQ(names, "cache-control etag vary ");
}

TEST(ConditionalAnswer, AFailedPreconditionIs412) {  // RFC 9110 13.2.2
  test::FakeExchange exchange({.fields = {{"if-match", "\"other\""}}});
  Target target;
  exchange.run(target);
  EXPECT_TRUE(target.answered);
  EXPECT_EQ(exchange.transport.status, 412);
}

TEST(ConditionalAnswer, GoesOnWhereNothingForbidsIt) {
  for (const auto& [name, value] : {std::pair("if-none-match", "\"other\""),
                                    std::pair("if-match", "*"), std::pair("accept", "*")}) {
    test::FakeExchange exchange({.fields = {{name, value}}});
    Target target;
    exchange.run(target);
    EXPECT_FALSE(target.answered) << name;
    EXPECT_EQ(exchange.transport.status, 200) << name;
  }
}

}  // namespace
}  // namespace servery::http
