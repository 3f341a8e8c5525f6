#include "worker/http/message.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

TEST(Message, EveryMethodIsFoundByItsNameAndCaseMatters) {
  for (unsigned i = 0; i < static_cast<unsigned>(Method::kUnknown); ++i) {
    const auto method = static_cast<Method>(i);
    EXPECT_EQ(parse_method(method_name(method)), method) << method_name(method);
  }
  EXPECT_EQ(parse_method("M-SEARCH"), Method::kMsearch);
  EXPECT_EQ(parse_method("get"), std::nullopt);
  EXPECT_EQ(parse_method("GETX"), std::nullopt);
  EXPECT_EQ(parse_method(""), std::nullopt);
}

TEST(Message, MethodSetAnyLeavesOutConnectAndTrace) {
  const MethodSet any = MethodSet::any();
  EXPECT_TRUE(any.contains(Method::kGet));
  EXPECT_TRUE(any.contains(Method::kUnsubscribe));
  EXPECT_FALSE(any.contains(Method::kConnect));
  EXPECT_FALSE(any.contains(Method::kTrace));
  EXPECT_FALSE(any.contains(Method::kUnknown));
}

TEST(Message, MethodSetOverlapAndMerge) {
  MethodSet get;
  get.add(Method::kGet);
  MethodSet post;
  post.add(Method::kPost);
  EXPECT_FALSE(get.overlaps(post));
  get.merge(post);
  EXPECT_TRUE(get.overlaps(post));
  EXPECT_TRUE(MethodSet().empty());
  EXPECT_FALSE(get.empty());
}

TEST(Message, ReasonPhrases) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(431), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(511), "Network Authentication Required");
  EXPECT_EQ(reason_phrase(299), "");
  EXPECT_EQ(reason_phrase(999), "");
}

TEST(Message, StatusesWithoutBody) {  // RFC 9110 6.4.1
  for (int status : {100, 101, 199, 204, 304}) EXPECT_FALSE(status_has_body(status)) << status;
  for (int status : {200, 201, 205, 206, 400, 500}) EXPECT_TRUE(status_has_body(status)) << status;
}

}  // namespace
}  // namespace servery::http
