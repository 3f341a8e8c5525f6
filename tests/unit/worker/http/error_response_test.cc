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
