#include "worker/http/conditional.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace servery::http {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;
constexpr std::int64_t kModified = 784'111'777;
constexpr const char* kAt = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr const char* kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr const char* kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";

using List = std::vector<std::pair<FieldId, std::string>>;

RequestFields fields_of(const List& list) {
  RequestFields fields;
  for (const auto& [id, value] : list) fields.add({id, field_name(id), value});
  return fields;
}

Validators strong() { return {"\"e\"", kModified, true}; }
Validators weak() { return {"W/\"e\"", kModified, false}; }

Precondition get(const List& list, const Validators& validators = strong()) {
  return evaluate_preconditions(fields_of(list), true, true, validators, kNow);
}
Precondition put(const List& list, bool exists) {
  return evaluate_preconditions(fields_of(list), false, exists, strong(), kNow);
}
bool ranged(const List& list, const Validators& validators = strong()) {
  return if_range_holds(fields_of(list), validators, kNow);
}

using P = Precondition;
using F = FieldId;

TEST(Conditional, NothingAskedProceeds) {
  EXPECT_FALSE(has_preconditions(fields_of({{F::kRange, "bytes=0-"}, {F::kIfRange, "\"e\""}})));
  EXPECT_TRUE(has_preconditions(fields_of({{F::kIfMatch, "*"}})));
  EXPECT_EQ(get({}), P::kProceed);
}

TEST(Conditional, IfNoneMatchComparesWeakly) {  // RFC 9110 13.1.2
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"e\""}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "W/\"e\""}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"e\""}}, weak()), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"a\", W/\"e\" , \"b\""}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "*"}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"a\""}, {F::kIfNoneMatch, "\"e\""}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"other\""}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfNoneMatch, "e"}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfNoneMatch, "w/\"e\""}}), P::kProceed);
}

TEST(Conditional, WithoutAModificationDateDatesAreIgnored) {  // RFC 9110 13.1.3, 13.1.4
  Validators dateless;
  dateless.etag = "\"e\"";
  dateless.has_last_modified = false;
  EXPECT_EQ(get({{F::kIfModifiedSince, kAt}}, dateless), P::kProceed);
  EXPECT_EQ(get({{F::kIfUnmodifiedSince, kAt}}, dateless), P::kProceed);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"e\""}}, dateless), P::kNotModified);
}

TEST(Conditional, TagsMayHoldCommasAndKnowNoEscapes) {  // RFC 9110 8.8.3
  const Validators comma{"\"a,b\"", kModified, true};
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"x\", \"a,b\""}}, comma), P::kNotModified);
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"a\", \"b\""}}, comma), P::kProceed);
  const Validators slash{"\"a\\\"", kModified, true};
  EXPECT_EQ(get({{F::kIfNoneMatch, "\"a\\\", \"c\""}}, slash), P::kNotModified);
}

TEST(Conditional, IfModifiedSinceOnlyWithoutIfNoneMatch) {  // RFC 9110 13.1.3
  EXPECT_EQ(get({{F::kIfModifiedSince, kAt}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfModifiedSince, kAfter}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfModifiedSince, kBefore}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfModifiedSince, "yesterday"}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfModifiedSince, kAt}, {F::kIfModifiedSince, kAt}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfModifiedSince, kAfter}, {F::kIfNoneMatch, "\"no\""}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfModifiedSince, kAfter}, {F::kIfNoneMatch, ""}}), P::kProceed);
  EXPECT_EQ(put({{F::kIfModifiedSince, kAt}}, true), P::kProceed);
}

TEST(Conditional, IfMatchComparesStronglyAndComesFirst) {  // RFC 9110 13.1.1, 13.2.2
  EXPECT_EQ(get({{F::kIfMatch, "\"e\""}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfMatch, "*"}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfMatch, "\"x\""}}), P::kFailed);
  EXPECT_EQ(get({{F::kIfMatch, "W/\"e\""}}), P::kFailed);
  EXPECT_EQ(get({{F::kIfMatch, "W/\"e\""}}, weak()), P::kFailed);
  EXPECT_EQ(get({{F::kIfMatch, "\"x\""}, {F::kIfNoneMatch, "\"e\""}}), P::kFailed);
  EXPECT_EQ(get({{F::kIfMatch, "\"e\""}, {F::kIfNoneMatch, "\"e\""}}), P::kNotModified);
  EXPECT_EQ(get({{F::kIfMatch, "\"e\""}, {F::kIfUnmodifiedSince, kBefore}}), P::kProceed);
}

TEST(Conditional, IfUnmodifiedSince) {  // RFC 9110 13.1.4
  EXPECT_EQ(get({{F::kIfUnmodifiedSince, kAt}}), P::kProceed);
  EXPECT_EQ(get({{F::kIfUnmodifiedSince, kBefore}}), P::kFailed);
  EXPECT_EQ(get({{F::kIfUnmodifiedSince, "soon"}}), P::kProceed);
}

TEST(Conditional, OtherMethodsFailWhereGetIsNotModified) {
  EXPECT_EQ(put({{F::kIfNoneMatch, "*"}}, true), P::kFailed);
  EXPECT_EQ(put({{F::kIfNoneMatch, "*"}}, false), P::kProceed);
  EXPECT_EQ(put({{F::kIfMatch, "*"}}, false), P::kFailed);
  EXPECT_EQ(put({{F::kIfMatch, "*"}}, true), P::kProceed);
}

TEST(Conditional, IfRangeNeedsTheWholeStrongTag) {  // RFC 9110 13.1.5
  EXPECT_TRUE(ranged({}));
  EXPECT_TRUE(ranged({{F::kIfRange, "\"e\""}}));
  EXPECT_FALSE(ranged({{F::kIfRange, "W/\"e\""}}));
  EXPECT_FALSE(ranged({{F::kIfRange, "W/\"e\""}}, weak()));
  EXPECT_FALSE(ranged({{F::kIfRange, "\"x\"\"e\""}}));
  EXPECT_FALSE(ranged({{F::kIfRange, "\"e\", \"f\""}}));
  EXPECT_FALSE(ranged({{F::kIfRange, "foo"}}));
  EXPECT_FALSE(ranged({{F::kIfRange, ""}}));
}

TEST(Conditional, IfRangeDateMustBeTheStrongDateItself) {
  EXPECT_TRUE(ranged({{F::kIfRange, kAt}}));
  EXPECT_FALSE(ranged({{F::kIfRange, kBefore}}));
  EXPECT_FALSE(ranged({{F::kIfRange, kAfter}}));
  EXPECT_FALSE(ranged({{F::kIfRange, kAt}}, weak()));
}

}  // namespace
}  // namespace servery::http
