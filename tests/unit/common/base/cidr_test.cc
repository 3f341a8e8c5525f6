#include "common/base/cidr.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery {
namespace {

IpAddress ip(std::string_view text) {
  const auto address = IpAddress::parse(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress());
}

AddressSet set_of(const std::vector<std::string>& entries) {
  auto set = AddressSet::parse(entries);
  EXPECT_TRUE(set);
  return set.value_or(AddressSet());
}

TEST(IpAddress, WhatIsOne) {
  for (const char* text : {"0.0.0.0", "255.255.255.255", "192.0.2.1", "::", "::1", "2001:db8::1",
                           "2001:db8:0:1:2:3:4:5", "fe80::1"}) {
    EXPECT_EQ(ip(text).text(), text);
  }
  EXPECT_EQ(ip("2001:DB8:0:0:0:0:0:1").text(), "2001:db8::1");
}

TEST(IpAddress, WhatIsNone) {
  for (const std::string text :
       {"", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.4 ", " 1.2.3.4",
        "1.2.3.4:80", "[::1]", "::1%lo", ":::", "1::2::3", "12345::", "0x7f.0.0.1", "unix",
        "1.2.3.-4", "1.2.3.4/8", "2001:db8:0000:0000:0000:0000:192.000.002.001"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)));
  EXPECT_FALSE(IpAddress::parse(std::string(46, '1')));
}

TEST(IpAddress, MappedIsTheIpv4Address) {
  EXPECT_EQ(ip("::ffff:192.0.2.1"), ip("192.0.2.1"));
  EXPECT_EQ(ip("::ffff:c000:201").text(), "192.0.2.1");
  EXPECT_NE(ip("::192.0.2.1"), ip("192.0.2.1"));  // "compatible", RFC 4291 2.5.5.1: deprecated
  EXPECT_NE(ip("::"), ip("0.0.0.0"));
}

TEST(Cidr, TextAndHostBits) {
  const auto text = [](std::string_view written) {
    const auto cidr = parse_cidr(written);
    return cidr ? cidr->text() + (cidr->has_host_bits() ? "!" : "") : std::string("none");
  };
  EXPECT_EQ(text("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(text("10.1.2.3/8"), "10.0.0.0/8!");
  EXPECT_EQ(text("10.1.2.3/31"), "10.1.2.2/31!");
  EXPECT_EQ(text("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(text("10.1.2.3/32"), "10.1.2.3");
  EXPECT_EQ(text("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(text("::/0"), "::/0");
  EXPECT_EQ(text("2001:db8::/32"), "2001:db8::/32");
  EXPECT_EQ(text("2001:db8::1/127"), "2001:db8::/127!");
  EXPECT_EQ(text("::1/128"), "::1");
  EXPECT_EQ(text("::ffff:10.0.0.0/104"), "10.0.0.0/8");
  EXPECT_EQ(text("::ffff:0:0/96"), "0.0.0.0/0");
  for (const char* wrong :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8 ", "10.0.0.0/8/8", "10/8", "::/129", "::ffff:10.0.0.0/95",
        "::ffff:10.0.0.0/129", "10.0.0.0/99999999999", "unix", "example.org"}) {
    EXPECT_EQ(text(wrong), "none") << wrong;
  }
}

TEST(AddressSet, PrefixesEndWhereTheyEnd) {
  const AddressSet set = set_of({"10.0.0.0/8", "192.0.2.4/30", "2001:db8::/33", "::1"});
  for (const char* in : {"10.0.0.0", "10.255.255.255", "192.0.2.4", "192.0.2.7", "2001:db8::",
                         "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff", "::1", "::ffff:10.1.2.3"}) {
    EXPECT_TRUE(set.contains(std::string_view(in))) << in;
  }
  for (const char* out : {"9.255.255.255", "11.0.0.0", "192.0.2.3", "192.0.2.8",
                          "2001:db8:8000::", "2001:db7:ffff::", "::", "::2", "0.0.0.1"}) {
    EXPECT_FALSE(set.contains(std::string_view(out))) << out;
  }
}

TEST(AddressSet, AFamilyIsNotTheOther) {
  EXPECT_FALSE(set_of({"::/0"}).contains(ip("10.0.0.1")));
  EXPECT_FALSE(set_of({"::/0"}).contains(ip("::ffff:10.0.0.1")));
  EXPECT_TRUE(set_of({"::/0"}).contains(ip("ffff::")));
  EXPECT_FALSE(set_of({"0.0.0.0/0"}).contains(ip("::1")));
  EXPECT_TRUE(set_of({"0.0.0.0/0"}).contains(ip("::ffff:1.2.3.4")));
}

// The same answers as looking at each prefix.
TEST(AddressSet, NestedAndNeighbouringPrefixes) {
  const std::vector<std::string> entries = {"10.0.0.0/24", "10.0.0.128/25", "10.0.1.0/25",
                                            "10.0.0.0/30", "10.0.1.255",    "10.0.0.0/24"};
  const AddressSet set = set_of(entries);
  for (int third = 0; third < 3; ++third) {
    for (int fourth = 0; fourth < 256; ++fourth) {
      const std::string text = "10.0." + std::to_string(third) + "." + std::to_string(fourth);
      bool expected = false;
      for (const std::string& entry : entries) {
        const auto cidr = *parse_cidr(entry);
        expected |= ip(text).first_in(cidr.length) == cidr.address;
      }
      EXPECT_EQ(set.contains(ip(text)), expected) << text;
    }
  }
}

TEST(AddressSet, WhoHasNoAddressIsInByNameOnly) {
  EXPECT_TRUE(set_of({}).empty());
  EXPECT_FALSE(set_of({"unix"}).empty());
  EXPECT_TRUE(set_of({"unix"}).contains(std::string_view()));
  EXPECT_FALSE(set_of({"unix"}).contains(std::string_view("127.0.0.1")));
  EXPECT_FALSE(set_of({"0.0.0.0/0", "::/0"}).contains(std::string_view()));
  EXPECT_FALSE(set_of({"0.0.0.0/0", "::/0", "unix"}).contains(std::string_view("no address")));
  EXPECT_FALSE(AddressSet::parse(std::vector<std::string>{"10.0.0.0/8", "Unix"}));
}

}  // namespace
}  // namespace servery
