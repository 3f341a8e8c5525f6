#include "config/address.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

PlanListener parsed(std::string_view text) {
  const ParsedAddress out = parse_address(text);
  EXPECT_FALSE(out.fault) << text << ": " << out.fault->message;
  return out.listener;
}

TEST(Address, PortAloneIsBothFamilies) {
  const PlanListener listener = parsed(":443");
  EXPECT_EQ(listener.configured, ":443");
  EXPECT_EQ(listener.kind, AddressKind::kTcp);
  EXPECT_EQ(listener.family, AddressFamily::kBoth);
  EXPECT_EQ(listener.ip, "");
  EXPECT_EQ(listener.port, 443);
}

TEST(Address, OneFamily) {
  EXPECT_EQ(parsed("0.0.0.0:443").family, AddressFamily::kIpv4);
  EXPECT_EQ(parsed("0.0.0.0:443").ip, "0.0.0.0");
  EXPECT_EQ(parsed("[::]:443").family, AddressFamily::kIpv6);
  EXPECT_EQ(parsed("[0:0::1]:8080").ip, "::1");
  EXPECT_EQ(parsed("127.0.0.1:0").port, 0);
}

TEST(Address, UnixAndInherited) {
  EXPECT_EQ(parsed("unix:/run/a.sock").kind, AddressKind::kUnix);
  EXPECT_EQ(parsed("unix:/run/a.sock").path, "/run/a.sock");
  EXPECT_EQ(parsed("fd:https").fd, "https");
  EXPECT_EQ(parsed("fd:3").kind, AddressKind::kFd);
}

TEST(Address, FaultsNameWhatWasMeant) {
  struct Case {
    const char* text;
    const char* suggestion;
  };
  for (const Case& each : {Case{"8000", ":8000"},
                           Case{"*:80", ":80"},
                           Case{"localhost:80", "127.0.0.1:80"},
                           Case{"::1:80", "[::1]:80"},
                           Case{"[::ffff:127.0.0.1]:80", "127.0.0.1:80"},
                           Case{"http://127.0.0.1:80", ""},
                           Case{"example.org:80", ""},
                           Case{":65536", ""},
                           Case{":080", ""},
                           Case{":", ""},
                           Case{"", ""},
                           Case{":http", ""},
                           Case{"[::1]", ""},
                           Case{"[::g]:80", ""},
                           Case{"1.2.3:80", ""},
                           Case{"[fe80::1%lo]:80", ""},
                           Case{"unix:", ""},
                           Case{"unix:@x", ""},
                           Case{"unix:/a/", ""},
                           Case{"fd:", ""},
                           Case{"fd:2", ""},
                           Case{"fd:a b", ""}}) {
    const ParsedAddress out = parse_address(each.text);
    ASSERT_TRUE(out.fault) << each.text;
    EXPECT_EQ(out.fault->suggestion, each.suggestion) << each.text;
  }
  EXPECT_TRUE(parse_address("unix:/" + std::string(100, 'a')).fault);
}

TEST(Address, FlagTakesAPort) {
  EXPECT_EQ(address_from_flag("8000"), "127.0.0.1:8000");
  EXPECT_EQ(address_from_flag(":8000"), ":8000");
  EXPECT_EQ(address_from_flag(""), "");
}

TEST(Address, SameSocket) {
  const auto same = [](const char* a, const char* b) { return same_socket(parsed(a), parsed(b)); };
  EXPECT_TRUE(same(":80", "0.0.0.0:80"));
  EXPECT_TRUE(same("[::]:80", ":80"));
  EXPECT_TRUE(same("[::1]:80", "[0::1]:80"));
  EXPECT_TRUE(same("127.0.0.1:0", "127.0.0.1:0"));
  EXPECT_FALSE(same("0.0.0.0:80", "[::]:80"));
  EXPECT_FALSE(same("0.0.0.0:80", "127.0.0.1:80"));
  EXPECT_FALSE(same(":80", ":81"));
  EXPECT_FALSE(same("127.0.0.1:0", "0.0.0.0:0"));
  EXPECT_TRUE(same("unix:/a", "unix:/a"));
  EXPECT_FALSE(same("unix:/a", "unix:/b"));
  EXPECT_FALSE(same("fd:a", "unix:/a"));
}

}  // namespace
}  // namespace servery
