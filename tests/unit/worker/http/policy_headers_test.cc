#include "worker/http/policy_headers.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

TEST(PolicyHeaders, AnAnswerKeepsAContentSecurityPolicyOfItsOwn) {
  HeaderPolicy policy;
  add_security_defaults(policy, true);
  ResponseFields listing;
  listing.add("content-security-policy", "default-src 'none'");
  policy.apply(listing);
  EXPECT_EQ(*listing.find("content-security-policy"), "default-src 'none'");
  EXPECT_EQ(*listing.find("x-content-type-options"), "nosniff");
  ResponseFields file;
  policy.apply(file);
  EXPECT_TRUE(file.find("content-security-policy")->starts_with("sandbox; default-src 'none'"));
}

TEST(PolicyHeaders, WithoutSandboxNoContentSecurityPolicy) {
  HeaderPolicy policy;
  add_security_defaults(policy, false);
  ResponseFields file;
  policy.apply(file);
  EXPECT_EQ(file.find("content-security-policy"), nullptr);
}

TEST(PolicyHeaders, ConfiguredFieldsComeAfterTheDefaults) {
  HeaderPolicy policy;
  add_security_defaults(policy, false);
  policy.remove = {"x-content-type-options"};
  ResponseFields fields;
  policy.apply(fields);
  EXPECT_EQ(fields.size(), 0U);
}

TEST(PolicyHeaders, VaryIsAMemberOfTheListThatIsThere) {
  HeaderPolicy policy;
  policy.vary = "Origin";
  ResponseFields fields;
  fields.add(FieldId::kVary, "Accept-Encoding");
  policy.apply(fields);
  EXPECT_EQ(*fields.find(FieldId::kVary), "Accept-Encoding, Origin");
  EXPECT_EQ(fields.size(), 1U);
}

TEST(PolicyHeaders, ARestrictedAnswerIsPrivateWhateverIsConfigured) {  // RFC 9111 3.5
  HeaderPolicy policy;
  policy.restricted = true;
  policy.set = {{"cache-control", "public, max-age=60"}};
  ResponseFields fields;
  policy.apply(fields);
  EXPECT_EQ(*fields.find(FieldId::kCacheControl), "private, max-age=60");
}

TEST(PolicyHeaders, PrivateCacheControl) {  // RFC 9111 5.2.2
  EXPECT_EQ(private_cache_control(""), "private");
  EXPECT_EQ(private_cache_control("no-cache"), "private, no-cache");
  EXPECT_EQ(private_cache_control("Public, max-age=31536000 , immutable"),
            "private, max-age=31536000, immutable");
  EXPECT_EQ(private_cache_control("s-maxage=60,max-age=5"), "private, max-age=5");
  EXPECT_EQ(private_cache_control("private, max-age=5"), "private, max-age=5");
  EXPECT_EQ(private_cache_control("no-store"), "no-store");
  EXPECT_EQ(private_cache_control("private=\"x-user\""), "private, private=\"x-user\"");
}

}  // namespace
}  // namespace servery::http
