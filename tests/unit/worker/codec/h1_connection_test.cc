#include "worker/codec/h1_connection.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::codec {
namespace {

bool keeps(std::uint8_t minor, const std::vector<std::string>& values) {
  http::RequestFields fields;
  for (const std::string& value : values) {
    fields.add({http::FieldId::kConnection, "connection", value});
  }
  return h1_persistence(minor, fields).keep_alive;
}

TEST(H1Connection, Http11PersistsUnlessClosed) {  // RFC 9112 9.3
  EXPECT_TRUE(keeps(1, {}));
  EXPECT_TRUE(keeps(1, {"keep-alive"}));
  EXPECT_TRUE(keeps(1, {"upgrade"}));
  EXPECT_FALSE(keeps(1, {"close"}));
  EXPECT_FALSE(keeps(1, {"Close"}));
  EXPECT_TRUE(keeps(1, {"closed"}));
}

TEST(H1Connection, Http10ClosesUnlessAsked) {
  EXPECT_FALSE(keeps(0, {}));
  EXPECT_TRUE(keeps(0, {"Keep-Alive"}));
  EXPECT_TRUE(h1_persistence(0, {}).is_http10);
  EXPECT_FALSE(h1_persistence(1, {}).is_http10);
}

TEST(H1Connection, IsATokenListAndCloseWins) {  // RFC 9110 7.6.1
  EXPECT_FALSE(keeps(1, {"keep-alive, close"}));
  EXPECT_FALSE(keeps(1, {"close, keep-alive"}));
  EXPECT_FALSE(keeps(1, {"x", "y , close"}));
  EXPECT_TRUE(keeps(0, {"te, keep-alive"}));
  EXPECT_TRUE(keeps(1, {"\"close\""}));
}

}  // namespace
}  // namespace servery::codec
