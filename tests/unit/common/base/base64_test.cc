#include "common/base/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace servery {
namespace {

TEST(Base64, AgreesWithRfc4648) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    std::string standard;
    append_base64(standard, bytes, Base64::kStandard);
    EXPECT_EQ(standard, text);
    std::string url;
    append_base64(url, bytes, Base64::kUrl);
    EXPECT_EQ(url, text.substr(0, text.find('=')));
    EXPECT_EQ(decode_base64url(url), bytes);
  }
  EXPECT_FALSE(decode_base64url("Z"));   // not a whole byte
  EXPECT_FALSE(decode_base64url("Zh"));  // left-over bits
  EXPECT_FALSE(decode_base64url("Zm8="));
  EXPECT_FALSE(decode_base64url("Z m8"));
}

}  // namespace
}  // namespace servery
