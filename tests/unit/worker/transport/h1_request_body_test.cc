#include "worker/transport/h1_request_body.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::transport {
namespace {

http::RequestHead counted(std::uint64_t length, bool expects = false) {
  http::RequestHead head;
  head.framing = http::BodyFraming::kLength;
  head.content_length = length;
  head.expect_continue = expects;
  return head;
}

class Body : public testing::Test {
 protected:
  H1RequestBody body{http::HeadLimits{}};
};

TEST_F(Body, ContinueIsDueOnce) {  // RFC 9110 10.1.1
  body.start(counted(5, true));
  EXPECT_TRUE(body.prevents_keep_alive(counted(5, true)));
  EXPECT_TRUE(body.want(counted(5, true), 0));
  EXPECT_FALSE(body.want(counted(5, true), 0));
  EXPECT_FALSE(body.prevents_keep_alive(counted(5, true)));
}

TEST_F(Body, OfNothingIsDone) {
  body.start(http::RequestHead{});
  EXPECT_TRUE(body.is_done());
  EXPECT_FALSE(body.is_reading());
  EXPECT_FALSE(body.prevents_keep_alive(http::RequestHead{}));
}

TEST_F(Body, SmallRestIsSkippedToItsEndAndNoFurther) {
  body.start(counted(5));
  EXPECT_FALSE(body.prevents_keep_alive(counted(5)));
  EXPECT_EQ(body.skip(std::string_view("hel")).used, 3U);
  EXPECT_FALSE(body.is_done());
  EXPECT_EQ(body.skip(std::string_view("loGET /")).used, 2U);
  EXPECT_TRUE(body.is_done());
}

TEST_F(Body, LargeRestEndsTheConnection) {
  body.start(counted(10'000'000));
  EXPECT_TRUE(body.prevents_keep_alive(counted(10'000'000)));
  const std::string much(300'000, 'x');
  EXPECT_TRUE(body.skip(much).refusal.has_value());
}

TEST_F(Body, BrokenChunksCannotBeSkipped) {
  http::RequestHead head;
  head.framing = http::BodyFraming::kChunked;
  body.start(head);
  EXPECT_TRUE(body.skip(std::string_view("zz\r\n")).refusal.has_value());
}

TEST_F(Body, ForgottenBodyIsNotReadFor) {
  body.start(counted(5));
  body.want(counted(5), 0);
  EXPECT_TRUE(body.is_reading());
  body.forget();
  EXPECT_FALSE(body.is_reading());
  EXPECT_FALSE(body.is_wanted());
}

}  // namespace
}  // namespace servery::transport
