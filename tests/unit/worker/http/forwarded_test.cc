#include "worker/http/forwarded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "node|proto|host" of each element, from the last; "!" where it is malformed.
std::vector<std::string> elements(std::string_view value) {
  std::vector<std::string> found;
  ForwardedCursor cursor(value);
  ForwardedElement element;
  while (true) {
    const auto step = cursor.previous(element);
    if (step == ForwardedCursor::Step::kEnd) return found;
    if (step == ForwardedCursor::Step::kMalformed) {
      found.emplace_back("!");
      return found;
    }
    found.push_back(std::string(element.node) + "|" + std::string(element.proto) + "|" +
                    std::string(element.host));
  }
}

TEST(Forwarded, TheExamplesOfTheRfc) {  // RFC 7239 4
  EXPECT_THAT(elements(R"(for="_gazonk")"), ElementsAre("_gazonk||"));
  EXPECT_THAT(elements(R"(For="[2001:db8:cafe::17]:4711")"),
              ElementsAre("[2001:db8:cafe::17]:4711||"));
  EXPECT_THAT(elements("for=192.0.2.60;proto=http;by=203.0.113.43"),
              ElementsAre("192.0.2.60|http|"));
  EXPECT_THAT(elements("for=192.0.2.43, for=198.51.100.17"),
              ElementsAre("198.51.100.17||", "192.0.2.43||"));
  EXPECT_THAT(elements(R"(for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown)"),
              ElementsAre("unknown||", "[2001:db8:cafe::17]||", "192.0.2.43||"));
}

TEST(Forwarded, SpacesAndEmptyPartsMeanNothing) {
  EXPECT_THAT(elements(""), IsEmpty());
  EXPECT_THAT(elements(" ,\t, "), IsEmpty());
  EXPECT_THAT(elements(" for=1.1.1.1 ,, \t;proto=https; ;host=a ;"),
              ElementsAre("|https|a", "1.1.1.1||"));
}

TEST(Forwarded, NamesInAnyCaseAndOthersIgnored) {
  EXPECT_THAT(elements("FOR=a;Proto=b;hOST=c;secret=d;BY=e"), ElementsAre("a|b|c"));
}

TEST(Forwarded, WhatIsMalformed) {
  for (const char* value : {"for",
                            "for=",
                            "=a",
                            "for =a",
                            "for= a",
                            "for=a b",
                            "for=[::1]",
                            "for=1.2.3.4:80",
                            "for=a;for=b",
                            "proto=a;PROTO=b",
                            R"(for=")",
                            R"(for=")"
                            R"(")",
                            R"(for="a)",
                            R"(for=a")",
                            R"(for="a"b)",
                            R"(for="a\"b")",
                            R"(for="a\\b")",
                            "for=\"a\";host=\"\"",
                            "for=a=b",
                            "host=a/b",
                            "for=\x80"}) {
    EXPECT_THAT(elements(value), ElementsAre("!")) << value;
  }
}

// Whatever a client wrote stands before what the proxy wrote, and does not reach into it.
TEST(Forwarded, WhatAClientWroteDoesNotHideWhatAProxyWrote) {
  for (const char* before : {"for=\"", "for=\"a\\", "for=\"x, for=y", "host=\"", "\\\"", "for=a;",
                             ";;=", "for=\"a\" \"", "\x01", "for"}) {
    const auto found = elements(std::string(before) + ", for=192.0.2.1;proto=https");
    ASSERT_FALSE(found.empty()) << before;
    EXPECT_EQ(found.front(), "192.0.2.1|https|") << before;
    const auto quoted = elements(std::string(before) + R"(, host="a:80";for="[::1]:1")");
    EXPECT_EQ(quoted.front(), "[::1]:1||a:80") << before;
  }
}

// A proxy that writes down a client's own Host must quote it; what then stands in quotes stays
// there.
TEST(Forwarded, QuotedTextIsNoElement) {
  EXPECT_THAT(elements(R"(for=192.0.2.1;host="a, for=10.0.0.1")"),
              ElementsAre("192.0.2.1||a, for=10.0.0.1"));
  EXPECT_THAT(elements(R"(for=192.0.2.1;host="a\", for=\"10.0.0.1")"), ElementsAre("!"));
}

TEST(Forwarded, ListFromTheEnd) {
  const auto members = [](std::string_view value) {
    std::vector<std::string> found;
    ReverseListCursor cursor(value);
    for (std::string_view member; cursor.previous(member);) found.emplace_back(member);
    return found;
  };
  EXPECT_THAT(members("a, b ,\tc"), ElementsAre("c", "b", "a"));
  EXPECT_THAT(members(",, a,, "), ElementsAre("a"));
  EXPECT_THAT(members(""), IsEmpty());
  EXPECT_THAT(members(" , "), IsEmpty());
}

std::string kind(const ForwardedNode& node) {
  switch (node.kind) {
    case ForwardedNode::Kind::kAddress:
      return node.address.text();
    case ForwardedNode::Kind::kHidden:
      return "hidden";
    case ForwardedNode::Kind::kMalformed:
      break;
  }
  return "malformed";
}

TEST(Forwarded, Nodes) {  // RFC 7239 6
  const auto node = [](std::string_view text) { return kind(parse_forwarded_node(text)); };
  EXPECT_EQ(node("192.0.2.43"), "192.0.2.43");
  EXPECT_EQ(node("192.0.2.43:47011"), "192.0.2.43");
  EXPECT_EQ(node("192.0.2.43:_http"), "192.0.2.43");
  EXPECT_EQ(node("[2001:db8:cafe::17]"), "2001:db8:cafe::17");
  EXPECT_EQ(node("[2001:DB8:cafe::17]:47011"), "2001:db8:cafe::17");
  EXPECT_EQ(node("[::ffff:192.0.2.1]"), "192.0.2.1");
  EXPECT_EQ(node("unknown"), "hidden");
  EXPECT_EQ(node("Unknown:80"), "hidden");
  EXPECT_EQ(node("_hidden.a-B_9"), "hidden");
  EXPECT_EQ(node("_hidden:_port"), "hidden");
  for (const char* text : {"",
                           "_",
                           "2001:db8::1",
                           "::1",
                           "[::1",
                           "::1]",
                           "[]",
                           "[::1]x",
                           "[::1]:",
                           "[192.0.2.1]",
                           "192.0.2.1:",
                           "192.0.2.1:65536",
                           "192.0.2.1:000080",
                           "192.0.2.1:-1",
                           "192.0.2.1:a",
                           "192.0.2.256",
                           "example.org",
                           "_a b",
                           "[fe80::1%eth0]",
                           "127.1",
                           " 192.0.2.1"}) {
    EXPECT_EQ(node(text), "malformed") << text;
  }
}

TEST(Forwarded, NodesOfXForwardedFor) {
  const auto node = [](std::string_view text) { return kind(parse_x_forwarded_node(text)); };
  EXPECT_EQ(node("192.0.2.43"), "192.0.2.43");
  EXPECT_EQ(node("192.0.2.43:1234"), "192.0.2.43");
  EXPECT_EQ(node("2001:db8::17"), "2001:db8::17");
  EXPECT_EQ(node("[2001:db8::17]"), "2001:db8::17");
  EXPECT_EQ(node("[2001:db8::17]:80"), "2001:db8::17");
  EXPECT_EQ(node("unknown"), "hidden");
  for (const char* text :
       {"", "_a", "unix:", "192.0.2.43:_p", "[192.0.2.1]", "\"192.0.2.1\"", "localhost"}) {
    EXPECT_EQ(node(text), "malformed") << text;
  }
}

TEST(Forwarded, Schemes) {
  EXPECT_EQ(forwarded_scheme("HTTPS"), "https");
  EXPECT_EQ(forwarded_scheme("http"), "http");
  for (const char* other : {"", "wss", "httpss", "https "}) EXPECT_EQ(forwarded_scheme(other), "");
}

}  // namespace
}  // namespace servery::http
