#include "worker/http/error_response.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

TEST(ErrorResponse, ShortBodyAndLength) {
  const PreparedRef& response = error_response(404, nullptr);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "404 Not Found\n");
  EXPECT_EQ(*response->fields.find(FieldId::kContentLength), "14");
  EXPECT_EQ(*response->fields.find(FieldId::kContentType), "text/plain; charset=utf-8");
}

TEST(ErrorResponse, MadeOnceForEachPolicy) {
  HeaderPolicy policy;
  policy.set = {{"x-frame-options", "DENY"}};
  const PreparedResponse* plain = error_response(400, nullptr).get();
  const PreparedResponse* own = error_response(400, &policy).get();
  EXPECT_NE(plain, own);
  EXPECT_EQ(own, error_response(400, &policy).get());
  EXPECT_EQ(plain, error_response(400, nullptr).get());
  EXPECT_EQ(*own->fields.find("x-frame-options"), "DENY");
  EXPECT_EQ(plain->fields.find("x-frame-options"), nullptr);
}

TEST(ErrorResponse, OverloadSaysWhenToRetry) {  // RFC 9110 15.6.4
  EXPECT_NE(error_response(503, nullptr)->fields.find(FieldId::kRetryAfter), nullptr);
}

TEST(ErrorResponse, UnknownStatusIsOurFault) {
  EXPECT_EQ(error_response(299, nullptr)->status, 500);
}

TEST(ErrorResponse, EveryErrorCodeHasAStatusOfTheTable) {
  for (Errc code : {Errc::kInvalid, Errc::kNotFound, Errc::kForbidden, Errc::kExists,
                    Errc::kTooLarge, Errc::kUnsupported, Errc::kBusy, Errc::kTimeout, Errc::kClosed,
                    Errc::kExhausted, Errc::kIo, Errc::kInternal}) {
    const Refusal refusal = refusal_for(code);
    EXPECT_EQ(error_response(refusal.status, nullptr)->status, refusal.status);
    EXPECT_FALSE(refusal.reason.empty());
  }
}

TEST(ErrorResponse, AllowAlwaysNamesOptions) {
  MethodSet set;
  set.add(Method::kGet);
  set.add(Method::kHead);
  EXPECT_EQ(allow_value(set), "GET, HEAD, OPTIONS");
  const PreparedRef refused = make_method_not_allowed(set, nullptr);
  EXPECT_EQ(refused->status, 405);
  EXPECT_EQ(*refused->fields.find(FieldId::kAllow), "GET, HEAD, OPTIONS");
  const PreparedRef options = make_options(set, nullptr);
  EXPECT_EQ(options->status, 204);
  EXPECT_EQ(options->fields.find(FieldId::kContentLength), nullptr);
}

HeaderPolicy with_pages() {
  HeaderPolicy policy;
  policy.set = {{"x-frame-options", "DENY"}};
  policy.error_pages = {{404, 404, "text/html", std::make_shared<const std::string>("<p>gone")},
                        {400, 499, "text/plain", std::make_shared<const std::string>("client")}};
  return policy;
}

TEST(ErrorResponse, ThePageOfTheStatusComesBeforeThatOfItsClass) {
  const HeaderPolicy policy = with_pages();
  const PreparedRef missing = error_response(404, &policy);
  EXPECT_EQ(missing->content(), "<p>gone");
  EXPECT_EQ(*missing->fields.find(FieldId::kContentType), "text/html");
  EXPECT_EQ(*missing->fields.find(FieldId::kContentLength), "7");
  EXPECT_EQ(*missing->fields.find("x-frame-options"), "DENY");
  EXPECT_EQ(error_response(400, &policy)->content(), "client");
  EXPECT_EQ(error_response(500, &policy)->content(), "500 Internal Server Error\n");
  // One copy for all that show it.
  EXPECT_EQ(error_response(400, &policy)->content().data(),
            error_response(403, &policy)->content().data());
}

TEST(ErrorResponse, APageLeavesTheFieldsOfTheStatus) {
  HeaderPolicy policy = with_pages();
  policy.error_pages.push_back(
      {500, 599, "text/html", std::make_shared<const std::string>("server")});
  MethodSet set;
  set.add(Method::kPost);
  const PreparedRef refused = make_method_not_allowed(set, &policy);
  EXPECT_EQ(refused->content(), "client");
  EXPECT_EQ(*refused->fields.find(FieldId::kAllow), "POST, OPTIONS");
  EXPECT_EQ(*error_response(503, &policy)->fields.find(FieldId::kRetryAfter), "1");
  EXPECT_EQ(error_response(503, &policy)->content(), "server");
  EXPECT_EQ(make_options(set, &policy)->content(), "");
  EXPECT_EQ(make_prepared({404, {}}, "a handler's own", &policy)->content(), "a handler's own");
}

TEST(ErrorResponse, PreparedLengthIsNotThePolicysToChange) {
  HeaderPolicy policy;
  policy.set = {{"content-length", "3"}};
  const PreparedRef response = make_prepared({200, {}}, "hello", &policy);
  EXPECT_EQ(*response->fields.find(FieldId::kContentLength), "5");
  const PreparedRef empty = make_prepared({304, {}}, "hello", &policy);
  EXPECT_EQ(empty->fields.find(FieldId::kContentLength), nullptr);
  EXPECT_EQ(empty->body, "");
}

}  // namespace
}  // namespace servery::http
