#include "worker/access/basic_credentials.h"

#include <gtest/gtest.h>

namespace servery::access {
namespace {

TEST(BasicCredentials, Rfc7617Examples) {
  const auto plain = parse_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->user(), "Aladdin");
  EXPECT_EQ(plain->password(), "open sesame");
  const auto utf8 = parse_basic("Basic dGVzdDoxMjPCow==");  // RFC 7617 2.1
  ASSERT_TRUE(utf8);
  EXPECT_EQ(utf8->user(), "test");
  EXPECT_EQ(utf8->password(), "123\xc2\xa3");
}

TEST(BasicCredentials, TheFirstColonEndsTheUser) {
  const auto found = parse_basic("basic  YTpiOmM=");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user(), "a");
  EXPECT_EQ(found->password(), "b:c");
  EXPECT_EQ(parse_basic("BASIC YTo=")->password(), "") << "an empty password is one";
}

TEST(BasicCredentials, OtherSchemesAreNotOurs) {
  EXPECT_TRUE(is_basic("Basic x"));
  EXPECT_TRUE(is_basic("bAsIc"));
  EXPECT_FALSE(is_basic("Bearer x"));
  EXPECT_FALSE(is_basic("Basically x"));
  EXPECT_FALSE(is_basic(""));
  EXPECT_FALSE(parse_basic("Bearer YTpi"));
}

TEST(BasicCredentials, Broken) {
  for (const char* value :
       {"Basic", "Basic ", "Basic YTpi=", "Basic YTp", "Basic YT*i",
        "Basic ====", "Basic YTpi YTpi", "Basic YTo=YTo=", "Basic YTp=",  // pad bits
        "Basic OmE=",                                                     // no user
        "Basic YWE=",                                                     // no colon
        "Basic YTpiAA==", "Basic YTpiCg=="}) {                            // control characters
    EXPECT_FALSE(parse_basic(value)) << value;
  }
  std::string longest = "Basic YTpi";  // 3 bytes, then 3 of each 4
  for (int i = 0; i < 340; ++i) longest += "YWFh";
  EXPECT_TRUE(parse_basic(longest)) << "1023 bytes";
  EXPECT_FALSE(parse_basic(longest + "YWFh"));
}

}  // namespace
}  // namespace servery::access
