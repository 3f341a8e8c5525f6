#include "worker/features/respond/respond_handler.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_transport.h"

namespace servery::features {
namespace {

class Direct final : public http::RequestTarget {
 public:
  explicit Direct(RespondHandler& handler) : handler_(handler) {}
  void run(http::Exchange& exchange) override { handler_.handle(exchange, {}); }

 private:
  RespondHandler& handler_;
};

TEST(Respond, AnswersWithItsBodyAndPolicy) {
  http::HeaderPolicy policy;
  policy.add = {{"x-p", "1"}};
  RespondHandler handler(200, "ok\n", policy);
  Direct direct(handler);
  test::FakeExchange exchange({});
  exchange.run(direct);
  EXPECT_EQ(exchange.transport.status, 200);
  EXPECT_EQ(exchange.transport.body, "ok\n");
  EXPECT_EQ(exchange.transport.field("content-length"), "3");
  EXPECT_EQ(exchange.transport.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(exchange.transport.field("x-p"), "1");
}

TEST(Respond, AnEmptyBodyHasNoType) {
  RespondHandler handler(200, "", {});
  Direct direct(handler);
  test::FakeExchange exchange({});
  exchange.run(direct);
  EXPECT_EQ(exchange.transport.field("content-length"), "0");
  EXPECT_EQ(exchange.transport.field("content-type"), "");
}

TEST(Respond, WaitsForTheEndOfARequestBody) {
  RespondHandler handler(201, "", {});
  Direct direct(handler);
  test::FakeExchange exchange({.method = "POST", .fields = {{"content-length", "3"}}});
  exchange.run(direct);
  ASSERT_TRUE(exchange.transport.body_wanted);
  EXPECT_EQ(exchange.transport.answers, 0);
  ASSERT_NE(exchange->body_sink(), nullptr);
  EXPECT_TRUE(exchange->body_sink()->on_bytes(std::string_view("abc")));
  EXPECT_EQ(exchange.transport.answers, 0);
  exchange->end_body();
  EXPECT_EQ(exchange.transport.answers, 1);
  EXPECT_EQ(exchange.transport.status, 201);
}

TEST(Respond, ABrokenBodyIsLeftToTheTransport) {
  RespondHandler handler(201, "", {});
  Direct direct(handler);
  test::FakeExchange exchange({.method = "POST", .fields = {{"content-length", "3"}}});
  exchange.run(direct);
  exchange->abort_body({Errc::kInvalid, {}});
  EXPECT_EQ(exchange.transport.answers, 0);
  exchange->respond_error({400, "chunk_invalid"});
  EXPECT_EQ(exchange.transport.status, 400);
}

}  // namespace
}  // namespace servery::features
