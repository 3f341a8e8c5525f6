#include "supervisor/tcp_address.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TcpAddress ipv4(const std::string& ip, std::uint16_t port) {
  return *TcpAddress::parse(AddressFamily::kIpv4, ip, port);
}
TcpAddress ipv6(const std::string& ip, std::uint16_t port) {
  return *TcpAddress::parse(AddressFamily::kIpv6, ip, port);
}
TcpSocket listening(int family, std::uint8_t first, std::uint16_t port, bool v6_only = false) {
  TcpSocket socket;
  socket.family = family;
  socket.local[0] = first;
  if (first != 0) socket.local[family == AF_INET ? 3 : 15] = 1;
  socket.local_port = port;
  socket.v6_only = v6_only;
  return socket;
}

TEST(TcpAddress, TextIsWhatAnOperatorWrites) {
  EXPECT_EQ(ipv4("127.0.0.1", 80).text(), "127.0.0.1:80");
  EXPECT_EQ(ipv4("", 80).text(), "0.0.0.0:80");
  EXPECT_EQ(ipv6("::1", 443).text(), "[::1]:443");
  EXPECT_EQ(ipv6("", 0).text(), "[::]:0");
  EXPECT_TRUE(ipv6("", 0).is_any());
  EXPECT_FALSE(ipv4("127.0.0.1", 0).is_any());
}

TEST(TcpAddress, OnlyNumericAddressesParse) {
  for (const char* ip : {"localhost", "127.0.0", "::1", "1.2.3.4 ", "[::1]"}) {
    EXPECT_FALSE(TcpAddress::parse(AddressFamily::kIpv4, ip, 1)) << ip;
  }
}

TEST(TcpAddress, WhatIsInTheWayOfWhat) {
  EXPECT_TRUE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET, 127, 80)));
  EXPECT_FALSE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET, 127, 81)));
  EXPECT_FALSE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET, 10, 80)));
  EXPECT_TRUE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET, 0, 80))) << "wildcard there";
  EXPECT_TRUE(ipv4("", 80).conflicts_with(listening(AF_INET, 127, 80))) << "wildcard here";
  EXPECT_TRUE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET6, 0, 80, false)));
  EXPECT_FALSE(ipv4("127.0.0.1", 80).conflicts_with(listening(AF_INET6, 0, 80, true)));
  EXPECT_FALSE(ipv6("", 80).conflicts_with(listening(AF_INET, 0, 80))) << "ours is IPv6 only";
}

}  // namespace
}  // namespace servery
