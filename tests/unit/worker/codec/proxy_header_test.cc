#include "worker/codec/proxy_header.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::codec {
namespace {

using namespace std::string_literals;

// "source:port/size", "peer/size", "more" or "malformed".
std::string parse(std::string_view in) {
  ProxyHeader header;
  switch (parse_proxy_header(in, header)) {
    case ProxyHeaderState::kNeedMore:
      return "more";
    case ProxyHeaderState::kMalformed:
      return "malformed";
    case ProxyHeaderState::kDone:
      break;
  }
  const std::string size = "/" + std::to_string(header.size);
  if (!header.source) return "peer" + size;
  return header.source->text() + ":" + std::to_string(header.port) + size;
}

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kIpv4 = "\xC0\x00\x02\x01\x0A\x00\x00\x01\x12\x34\x01\xBB"s;

std::string version2(unsigned command, unsigned family, const std::string& body,
                     std::size_t length) {
  std::string out = kSignature;
  out += static_cast<char>(command);
  out += static_cast<char>(family);
  out += static_cast<char>(length >> 8);
  out += static_cast<char>(length & 0xFF);
  return out + body;
}
std::string version2(unsigned command, unsigned family, const std::string& body) {
  return version2(command, family, body, body.size());
}

TEST(ProxyHeader, Version1) {
  EXPECT_EQ(parse("PROXY TCP4 192.0.2.1 10.0.0.1 4660 443\r\nGET /"), "192.0.2.1:4660/40");
  EXPECT_EQ(parse("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n"), "2001:db8::1:0/36");
  EXPECT_EQ(parse("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n"), "192.0.2.1:1/37");
  EXPECT_EQ(parse("PROXY UNKNOWN\r\n"), "peer/15");
  EXPECT_EQ(parse("PROXY UNKNOWN ffff::1 whatever it is\r\n"), "peer/38");
  const std::string longest = "PROXY UNKNOWN " + std::string(91, 'x') + "\r\n";
  ASSERT_EQ(longest.size(), kMaxProxyLine);
  EXPECT_EQ(parse(longest), "peer/107");
}

TEST(ProxyHeader, Version1Malformed) {
  for (const char* line :
       {"PROXY \r\n", "PROXY TCP\r\n", "PROXY TCP5 1.1.1.1 1.1.1.1 1 1\r\n",
        "PROXY tcp4 1.1.1.1 1.1.1.1 1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1\r\n",
        "PROXY TCP4 1.1.1.1 1.1.1.1 1 1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1 \r\n",
        "PROXY TCP4  1.1.1.1 1.1.1.1 1 1\r\n", "PROXY TCP4 ::1 ::1 1 1\r\n",
        "PROXY TCP6 1.1.1.1 ::1 1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 65536 1\r\n",
        "PROXY TCP4 1.1.1.1 1.1.1.1 01 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 -1 1\r\n",
        "PROXY TCP4 1.1.1.01 1.1.1.1 1 1\r\n", "PROXY TCP4 1.1.1.1 1.1.1.1 1 1\n",
        "PROXY TCP4 1.1.1.1 1.1.1.1 1 1\rx", "PROXY UNKNOWNX\r\n",
        "PROXY TCP6 fe80::1%eth0 ::1 1 1\r\n", "PROXY\tTCP4 1.1.1.1 1.1.1.1 1 1\r\n"}) {
    EXPECT_EQ(parse(line), "malformed") << line;
  }
  EXPECT_EQ(parse("PROXY UNKNOWN " + std::string(92, 'x') + "\r\n"), "malformed");
  EXPECT_EQ(parse("PROXY UNKNOWN " + std::string(92, 'x') + "\r"), "malformed");
}

TEST(ProxyHeader, Version2) {
  EXPECT_EQ(parse(version2(0x21, 0x11, kIpv4) + "GET /"), "192.0.2.1:4660/28");
  const std::string ipv6 = "\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x01"s +
                           std::string(16, '\0') + "\x00\x50\x01\xBB"s;
  EXPECT_EQ(parse(version2(0x21, 0x21, ipv6)), "2001:db8::1:80/52");
  EXPECT_EQ(parse(version2(0x21, 0x11, kIpv4 + "\x03\x00\x04\x01\x02\x03\x04"s)),
            "192.0.2.1:4660/35");
  EXPECT_EQ(parse(version2(0x20, 0x00, "")), "peer/16") << "LOCAL";
  EXPECT_EQ(parse(version2(0x20, 0x11, kIpv4)), "peer/28") << "LOCAL, addresses to be ignored";
  EXPECT_EQ(parse(version2(0x20, 0x11, "abc")), "peer/19") << "LOCAL, whatever follows";
  for (const unsigned family : {0x00U, 0x12U, 0x22U, 0x31U, 0x32U, 0x41U, 0xFFU}) {
    EXPECT_EQ(parse(version2(0x21, family, "")), "peer/16") << family;
    EXPECT_EQ(parse(version2(0x21, family, std::string(216, 'x'))), "peer/232") << family;
  }
}

TEST(ProxyHeader, Version2Malformed) {
  for (const unsigned command : {0x11U, 0x22U, 0x2FU, 0x31U, 0x01U, 0x00U}) {
    EXPECT_EQ(parse(version2(command, 0x11, kIpv4)), "malformed") << command;
  }
  EXPECT_EQ(parse(version2(0x21, 0x11, kIpv4.substr(1))), "malformed");
  EXPECT_EQ(parse(version2(0x21, 0x21, std::string(35, 'x'))), "malformed");
  const std::size_t most = kMaxProxyHeader - 16;
  EXPECT_EQ(parse(version2(0x21, 0x11, kIpv4, most + 1)), "malformed") << "before it has come";
  EXPECT_EQ(parse(version2(0x21, 0x11, kIpv4, most)), "more");
  EXPECT_EQ(parse(version2(0x21, 0x11, std::string(most, 'x'))).substr(0, 16), "120.120.120.120:");
}

TEST(ProxyHeader, WhatIsNoHeaderIsToldByItsFirstWrongByte) {
  for (const char* other :
       {"GET / HTTP/1.1\r\n", "P", "PRI * HTTP/2.0", "PROXX", "\r\n\r\nG", "\r\nGET", "\x16\x03"}) {
    EXPECT_EQ(parse(other), std::string(other) == "P" ? "more" : "malformed") << other;
  }
}

TEST(ProxyHeader, EveryPieceBeforeTheEndNeedsMore) {
  for (const std::string& whole : {"PROXY TCP4 192.0.2.1 10.0.0.1 4660 443\r\n"s,
                                   version2(0x21, 0x11, kIpv4 + std::string(30, '\0'))}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(parse(whole.substr(0, size)), "more") << size;
    }
    EXPECT_EQ(parse(whole).substr(0, 14), "192.0.2.1:4660");
  }
}

}  // namespace
}  // namespace servery::codec
