#include "worker/http/host_name.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

std::string split(std::string_view authority) {
  HostAndPort out;
  if (!split_authority(authority, out)) return "refused";
  return std::string(out.host) + "|" + std::string(out.port) + (out.has_upper ? "^" : "");
}

TEST(HostName, SplitsNameAndPort) {  // RFC 3986 3.2
  EXPECT_EQ(split("example.org"), "example.org|");
  EXPECT_EQ(split("example.org:8000"), "example.org|8000");
  EXPECT_EQ(split("example.org:"), "example.org|");
  EXPECT_EQ(split("foo_bar"), "foo_bar|");
  EXPECT_EQ(split("127.0.0.1:65535"), "127.0.0.1|65535");
  EXPECT_EQ(split("[::1]"), "[::1]|");
  EXPECT_EQ(split("[::1]:81"), "[::1]|81");
  EXPECT_EQ(split("[FE80::1]"), "[FE80::1]|^");
  EXPECT_EQ(split("exAmple.org:1"), "exAmple.org|1^");
  for (const char* literal :
       {"[::]", "[::ffff:1.2.3.4]", "[1:2:3:4:5:6:7:8]", "[1::8]", "[1:2:3:4:5:6:7::]",
        "[::2:3:4:5:6:7:8]", "[1:2:3:4:5:6:1.2.3.4]", "[1::1.2.3.4]", "[abcd:ef01::]"}) {
    EXPECT_EQ(split(literal), std::string(literal) + "|");
  }
}

TEST(HostName, RefusesWhatIsNoHost) {
  for (const char* text : {"",
                           ":80",
                           ".",
                           "a b",
                           "###",
                           "abc\\foo",
                           "foo@localhost",
                           "localhost:80x",
                           "localhost:80:80",
                           "localhost::80",
                           "localhost:65536",
                           "localhost:000080",
                           "%31",
                           "[::1",
                           "[]",
                           "[:]",
                           "[::1]x",
                           "[::1]:x",
                           "[::g]",
                           "[1::2::3]",
                           "[:::]",
                           "[1:2:3:4:5:6:7]",
                           "[1:2:3:4:5:6:7:8:9]",
                           "[1:2:3:4:5:6:7::8]",
                           "[1:2:3:4:5:6:7:]",
                           "[:1:2:3:4:5:6:7]",
                           "[12345::]",
                           "[::1.2.3]",
                           "[::1.2.3.256]",
                           "[1.2.3.4::]",
                           "[::1.2.3.4:5]",
                           "[1:2:3:4:5:6:7:1.2.3.4]",
                           "[fe80::1%eth0]",
                           "[fe80::1%25eth0]",
                           "[v1.fe80::a]",
                           "[1.2.3.4]",
                           "4713::abcd:8001",
                           "abc\xa0",
                           "a/b",
                           "a,\t"}) {
    EXPECT_EQ(split(text), "refused") << text;
  }
  EXPECT_EQ(split(std::string(255, 'a')), std::string(255, 'a') + "|");
  EXPECT_EQ(split(std::string(256, 'a')), "refused");
}

TEST(HostName, IpLiterals) {
  for (const char* text : {"127.0.0.1", "0.0.0.0", "255.255.255.255", "[::1]", "[fe80::1]"}) {
    EXPECT_TRUE(is_ip_literal(text)) << text;
  }
  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.", "1..2.3",
                           ".1.2.3.4", "a.b.c.d", "[]", "127.0.0.1.evil.com", "1.2.3.0004"}) {
    EXPECT_FALSE(is_ip_literal(text)) << text;
  }
}

}  // namespace
}  // namespace servery::http
