#include "worker/access/client_address.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_transport.h"

namespace servery::access {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// "address scheme host authority proxy_host" of a request with these fields.
std::string identify(const Fields& fields, const std::string& peer = "10.0.0.1",
                     const std::vector<std::string>& trusted = {"10.0.0.0/8", "2001:db8::/32",
                                                                "unix"}) {
  class Target final : public http::RequestTarget {
   public:
    explicit Target(const ClientAddress& clients) : clients_(clients) {}
    void run(http::Exchange& exchange) override {
      clients_.identify(exchange);
      clients_.identify(exchange);  // as after Exchange::restart()
      found = std::string(exchange.client_address()) + " " + std::string(exchange.scheme()) + " " +
              std::string(exchange.request().host) + " " +
              std::string(exchange.request().authority) + " " + std::string(exchange.proxy_host());
      exchange.respond({200, {}}, nullptr);
    }
    std::string found;

   private:
    const ClientAddress& clients_;
  };
  const ClientAddress clients(*AddressSet::parse(trusted));
  Target target(clients);
  test::RequestText text;
  text.host = "back:8000";
  text.fields = fields;
  text.peer = peer;
  test::FakeExchange exchange(text);
  exchange.run(target);
  return target.found;
}
// The address alone.
std::string address(const Fields& fields, const std::string& peer = "10.0.0.1") {
  const std::string found = identify(fields, peer);
  return found.substr(0, found.find(' '));
}
std::string forwarded(const std::string& value) { return address({{"forwarded", value}}); }
std::string x_forwarded(const std::string& value) { return address({{"x-forwarded-for", value}}); }

TEST(ClientAddress, NobodyElseIsBelieved) {
  const Fields all = {{"forwarded", "for=192.0.2.1;proto=https;host=a.example"},
                      {"x-forwarded-for", "192.0.2.2"},
                      {"x-forwarded-proto", "https"},
                      {"x-forwarded-host", "b.example"}};
  EXPECT_EQ(identify(all, "11.0.0.1"), "11.0.0.1 http back back:8000 ");
  EXPECT_EQ(identify(all, "", {"10.0.0.0/8"}), " http back back:8000 ");
  EXPECT_EQ(identify(all, "10.0.0.1", {"unix"}), "10.0.0.1 http back back:8000 ");
}

TEST(ClientAddress, ATrustedPeerThatSaysNothingSpeaksForItself) {
  EXPECT_EQ(identify({}), "10.0.0.1 http back back:8000 ");
  EXPECT_EQ(identify({}, ""), " http back back:8000 ");
}

TEST(ClientAddress, ForwardedAsAWhole) {
  EXPECT_EQ(identify({{"forwarded", "for=192.0.2.1;proto=https;host=\"A.Example:8443\""}}),
            "192.0.2.1 https a.example A.Example:8443 back");
  EXPECT_EQ(identify({{"forwarded", "for=192.0.2.1"}}, ""), "192.0.2.1 http back back:8000 ")
      << "a Unix socket's peer";
}

TEST(ClientAddress, XForwardedAsAWhole) {
  EXPECT_EQ(identify({{"x-forwarded-for", "192.0.2.1"},
                      {"x-forwarded-proto", "HTTPS"},
                      {"x-forwarded-host", "a.example"}}),
            "192.0.2.1 https a.example a.example back");
}

TEST(ClientAddress, BothFieldsMustNameOneClient) {
  EXPECT_EQ(identify({{"x-forwarded-for", "192.0.2.1"},
                      {"x-forwarded-proto", "https"},
                      {"x-forwarded-host", "b.example"},
                      {"forwarded", "for=192.0.2.1"}}),
            "192.0.2.1 http back back:8000 ")
      << "then Forwarded counts";
  EXPECT_EQ(
      identify({{"x-forwarded-for", "192.0.2.9"}, {"forwarded", "for=192.0.2.1;proto=https"}}),
      "10.0.0.1 http back back:8000 ");
  EXPECT_EQ(address({{"x-forwarded-for", "192.0.2.9"}, {"forwarded", "for=\"broken"}}), "10.0.0.1");
}

TEST(ClientAddress, TheWalkStopsAtTheFirstThatIsNotTrusted) {
  EXPECT_EQ(x_forwarded("127.0.0.1, 192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(x_forwarded("127.0.0.1, 192.0.2.1, 10.9.9.9"), "192.0.2.1");
  EXPECT_EQ(x_forwarded("127.0.0.1, 192.0.2.1, 10.9.9.9, 2001:db8::7"), "192.0.2.1");
  EXPECT_EQ(x_forwarded("10.1.1.1, 10.2.2.2"), "10.1.1.1") << "all trusted: the first";
  EXPECT_EQ(forwarded("for=127.0.0.1, for=192.0.2.1, for=10.9.9.9"), "192.0.2.1");
  EXPECT_EQ(forwarded("for=127.0.0.1, for=\"[2001:db7::1]:80\", for=\"10.9.9.9:_x\""),
            "2001:db7::1");
  EXPECT_EQ(x_forwarded("::ffff:192.0.2.1, ::ffff:10.9.9.9"), "192.0.2.1");
}

TEST(ClientAddress, LinesOfOneNameAreOneList) {
  EXPECT_EQ(address({{"x-forwarded-for", "127.0.0.1, 192.0.2.1"}, {"x-forwarded-for", "10.9.9.9"}}),
            "192.0.2.1");
  EXPECT_EQ(address({{"forwarded", "for=192.0.2.1"}, {"a", "b"}, {"forwarded", "for=10.9.9.9"}}),
            "192.0.2.1");
  EXPECT_EQ(address({{"forwarded", "for=192.0.2.1"}, {"forwarded", "for=\""}}), "10.0.0.1");
}

TEST(ClientAddress, WhatIsMalformedOrHiddenEndsTheWalkAtTheLastThatIsKnown) {
  EXPECT_EQ(x_forwarded("192.0.2.1, unknown"), "10.0.0.1");
  EXPECT_EQ(x_forwarded("192.0.2.1, x, 10.9.9.9"), "10.9.9.9");
  EXPECT_EQ(forwarded("for=192.0.2.1, for=_hidden, for=10.9.9.9"), "10.9.9.9");
  EXPECT_EQ(forwarded("for=192.0.2.1, proto=https"), "10.0.0.1");
  EXPECT_EQ(forwarded("for=192.0.2.1, for=1.2.3.4:5"), "10.0.0.1");
  EXPECT_EQ(forwarded("for=192.0.2.1, for=10.9.9.9;host=\"a b\""), "10.0.0.1");
}

TEST(ClientAddress, TheOutermostTrustedHopSaysSchemeAndHost) {
  EXPECT_EQ(identify({{"forwarded",
                       "for=1.1.1.1;proto=http;host=evil, for=192.0.2.1;proto=https;host=a, "
                       "for=10.9.9.9;proto=http;host=b"}}),
            "192.0.2.1 https a a back");
  EXPECT_EQ(identify({{"forwarded", "for=192.0.2.1, for=10.9.9.9;proto=https;host=b"}}),
            "192.0.2.1 https b b back")
      << "where it says nothing, the next to it";
  EXPECT_EQ(identify({{"forwarded", "for=_a;proto=https"}}), "10.0.0.1 https back back:8000 ");
  EXPECT_EQ(identify({{"forwarded", "for=!;proto=https;host=\"x\""}}),
            "10.0.0.1 http back back:8000 ");
  EXPECT_EQ(identify({{"forwarded", "for=192.0.2.1;proto=gopher"}}),
            "192.0.2.1 http back back:8000 ");
  EXPECT_EQ(identify({{"x-forwarded-for", "1.1.1.1, 192.0.2.1"},
                      {"x-forwarded-proto", "https, http"},
                      {"x-forwarded-host", "evil, a"}}),
            "192.0.2.1 http a a back")
      << "one hop: the last value";
  EXPECT_EQ(identify({{"x-forwarded-for", "192.0.2.1, 10.9.9.9"},
                      {"x-forwarded-proto", "https, http"},
                      {"x-forwarded-host", "a, b"}}),
            "192.0.2.1 https a a back")
      << "two hops: the one before";
  EXPECT_EQ(identify({{"x-forwarded-for", "192.0.2.1, 10.9.9.9"}, {"x-forwarded-proto", "https"}}),
            "192.0.2.1 https back back:8000 ")
      << "one value for all hops";
  EXPECT_EQ(identify({{"x-forwarded-proto", "https"}}), "10.0.0.1 https back back:8000 ");
  EXPECT_EQ(identify({{"x-forwarded-host", "a/b"}}), "10.0.0.1 http back back:8000 ");
}

TEST(ClientAddress, TheNumberOfHopsIsBounded) {
  std::string list = "192.0.2.1";
  for (unsigned hop = 1; hop < ClientAddress::kMaxHops; ++hop) list += ", 10.0.1.1";
  EXPECT_EQ(x_forwarded(list), "192.0.2.1");
  EXPECT_EQ(x_forwarded(list + ", 10.0.1.1"), "10.0.1.1");
}

}  // namespace
}  // namespace servery::access
