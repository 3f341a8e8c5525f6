#include "worker/http/host_rule.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

using V = HostRule::Verdict;

TEST(HostRule, ListedNamesAndSubDomains) {
  const HostRule rule({.hosts = {"example.org", "*.example.net"}, .local_guard = true});
  EXPECT_EQ(rule.check("example.org"), V::kServe);
  EXPECT_EQ(rule.check("a.b.example.net"), V::kServe);
  EXPECT_EQ(rule.check("example.net"), V::kUnknown);
  EXPECT_EQ(rule.check("evilexample.net"), V::kUnknown);
  EXPECT_EQ(rule.check("a.example.org"), V::kUnknown);
  EXPECT_EQ(rule.check("127.0.0.1"), V::kUnknown);  // a list replaces the local rule
  EXPECT_EQ(rule.check(""), V::kUnknown);
}

TEST(HostRule, StarServesAnyName) {
  const HostRule rule({.hosts = {"*"}, .local_guard = true});
  EXPECT_EQ(rule.check("whatever"), V::kServe);
  EXPECT_EQ(rule.check(""), V::kServe);
}

TEST(HostRule, LocalGuardLetsOnlyLocalNamesThrough) {
  const HostRule rule({.local_guard = true, .local_names = {"mybox", "added.example"}});
  for (const char* host :
       {"localhost", "app.localhost", "127.0.0.1", "10.1.2.3", "[::1]", "mybox", "added.example"}) {
    EXPECT_EQ(rule.check(host), V::kServe) << host;
  }
  for (const char* host : {"evil.com", "localhost.evil.com", ".localhost", "notlocalhost",
                           "127.0.0.1.nip.io", "x.mybox", "."}) {
    EXPECT_EQ(rule.check(host), V::kNotAllowed) << host;
  }
  EXPECT_EQ(rule.check(""), V::kServe) << "no page's request: browsers name their host";
}

TEST(HostRule, WithoutListAndGuardAnyNameIsServed) {
  const HostRule rule({});
  EXPECT_EQ(rule.check("evil.com"), V::kServe);
}

TEST(HostRule, OtherServedNamesRedirectToTheCanonicalOne) {
  const HostRule rule({.hosts = {"www.example.org"}, .canonical_host = "example.org:8443"});
  EXPECT_EQ(rule.check("example.org"), V::kServe);
  EXPECT_EQ(rule.check("www.example.org"), V::kRedirect);
  EXPECT_EQ(rule.check("other.org"), V::kUnknown);
  const HostRule any({.hosts = {"*"}, .canonical_host = "example.org"});
  EXPECT_EQ(any.check("other.org"), V::kRedirect);
  EXPECT_EQ(any.check(""), V::kServe);
  const HostRule literal({.hosts = {"*"}, .canonical_host = "[::1]"});
  EXPECT_EQ(literal.check("[::1]"), V::kServe);
}

}  // namespace
}  // namespace servery::http
