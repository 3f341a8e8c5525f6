#include "worker/access/address_rule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_transport.h"

namespace servery::access {
namespace {

using List = std::vector<std::string>;

// The status and reason that a client gets.
std::string ask(const List& allow, const List& deny, const std::string& peer) {
  AddressRule rule(*AddressSet::parse(allow), *AddressSet::parse(deny));
  class Target final : public http::RequestTarget {
   public:
    explicit Target(routing::Stage& stage) : stage_(stage) {}
    void run(http::Exchange& exchange) override {
      if (stage_.check(exchange, {}) == routing::Stage::Verdict::kAnswered) return;
      exchange.respond({200, {}}, nullptr);
    }

   private:
    routing::Stage& stage_;
  } target(rule);
  test::RequestText text;
  text.peer = peer;
  test::FakeExchange exchange(text);
  exchange.run(target);
  return std::to_string(exchange.transport.status) + std::string(exchange->reason());
}

TEST(AddressRule, OnlyDenyLeavesTheOthers) {
  const List deny{"192.0.2.0/24", "2001:db8::/32"};
  EXPECT_EQ(ask({}, deny, "192.0.2.9"), "403address_denied");
  EXPECT_EQ(ask({}, deny, "::ffff:192.0.2.9"), "403address_denied");
  EXPECT_EQ(ask({}, deny, "2001:db8::1"), "403address_denied");
  EXPECT_EQ(ask({}, deny, "192.0.3.9"), "200");
  EXPECT_EQ(ask({}, deny, ""), "200");
}

TEST(AddressRule, AllowIsForWhomItLists) {
  EXPECT_EQ(ask({"10.0.0.0/8"}, {}, "10.1.2.3"), "200");
  EXPECT_EQ(ask({"10.0.0.0/8"}, {}, "11.0.0.1"), "403address_denied");
  EXPECT_EQ(ask({"10.0.0.0/8"}, {}, ""), "403address_denied") << "a Unix socket has no address";
  EXPECT_EQ(ask({"10.0.0.0/8", "unix"}, {}, ""), "200");
}

TEST(AddressRule, DenyGoesBeforeAllow) {
  EXPECT_EQ(ask({"10.0.0.0/8"}, {"10.9.0.0/16"}, "10.9.1.1"), "403address_denied");
  EXPECT_EQ(ask({"10.9.1.1"}, {"10.0.0.0/8"}, "10.9.1.1"), "403address_denied");
  EXPECT_EQ(ask({"10.0.0.0/8"}, {"10.9.0.0/16"}, "10.8.1.1"), "200");
  EXPECT_EQ(ask({}, {"unix"}, ""), "403address_denied");
}

}  // namespace
}  // namespace servery::access
