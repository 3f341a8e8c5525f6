#include "worker/features/static/static_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/fake_transport.h"

namespace servery::features {
namespace {

constexpr std::int64_t kNow = 1'700'000'000;

FileFacts facts() {
  FileFacts file;
  file.size = 10;
  file.inode = 0xabc;
  file.mtime_s = 784'111'777;
  file.mtime_ns = 16;
  file.ctime_s = 784'111'778;
  file.content_type = "text/plain; charset=utf-8";
  file.cache_control = "no-cache";
  return file;
}

struct Answer {
  StaticDecision decision;
  http::ResponseFields fields;
  std::string field(std::string_view name) const {
    const std::string* value = fields.find(name);
    return value == nullptr ? "" : *value;
  }
};

Answer plan(const test::RequestText& text, const FileFacts& file = facts()) {
  test::FakeExchange exchange(text);
  EXPECT_FALSE(exchange.refusal);
  const std::string etag = make_etag(EtagKind::kInode, file);
  const http::Validators validators = static_validators(file, etag, kNow);
  const StaticDecision decision = decide_static(exchange->request(), validators, file.size, kNow);
  return {decision, static_fields(file, validators)};
}

const std::string kEtag = make_etag(EtagKind::kInode, facts());

TEST(StaticPlan, EtagHoldsEveryFactApart) {
  EXPECT_EQ(kEtag, "\"abc-a-2ebc98a1-10-2ebc98a2-0\"");
  for (int fact = 0; fact < 6; ++fact) {
    FileFacts other = facts();
    if (fact == 0) ++other.size;
    if (fact == 1) ++other.inode;
    if (fact == 2) ++other.mtime_s;
    if (fact == 3) ++other.mtime_ns;
    if (fact == 4) ++other.ctime_s;
    if (fact == 5) ++other.ctime_ns;
    EXPECT_NE(make_etag(EtagKind::kInode, other), kEtag) << fact;
  }
}

TEST(StaticPlan, AFileTooYoungHasAWeakTag) {
  FileFacts young = facts();
  young.settled = false;
  EXPECT_EQ(make_etag(EtagKind::kInode, young), "W/" + kEtag);
  const auto answer =
      plan({.fields = {{"range", "bytes=0-4"}, {"if-range", make_etag(EtagKind::kInode, young)}}},
           young);
  EXPECT_EQ(answer.decision.status, 200);
}

TEST(StaticPlan, WholeFile) {
  const Answer answer = plan({});
  EXPECT_EQ(answer.decision.status, 200);
  EXPECT_EQ(answer.decision.range.kind, http::RangeChoice::Kind::kWhole);
  EXPECT_EQ(answer.field("etag"), kEtag);
  EXPECT_EQ(answer.field("last-modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(answer.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.field("cache-control"), "no-cache");
  EXPECT_EQ(answer.field("accept-ranges"), "bytes");
}

TEST(StaticPlan, NotModified) {  // RFC 9110 15.4.5
  EXPECT_EQ(plan({.fields = {{"if-none-match", kEtag}}}).decision.status, 304);
  const Answer by_date = plan({.fields = {{"if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}}});
  EXPECT_EQ(by_date.decision.status, 304);
}

TEST(StaticPlan, Parts) {  // RFC 9110 15.3.7
  const StaticDecision decision = plan({.fields = {{"range", "bytes=2-4,7-"}}}).decision;
  EXPECT_EQ(decision.status, 206);
  EXPECT_EQ(decision.range.parts, (std::vector<http::ByteRange>{{2, 4}, {7, 9}}));
}

TEST(StaticPlan, Unsatisfiable) {  // RFC 9110 15.5.17
  EXPECT_EQ(plan({.fields = {{"range", "bytes=10-"}}}).decision.status, 416);
}

TEST(StaticPlan, RangeIsForGetAlone) {  // RFC 9110 14.2
  EXPECT_EQ(plan({.method = "HEAD", .fields = {{"range", "bytes=0-4"}}}).decision.status, 200);
  EXPECT_EQ(plan({.fields = {{"range", "bytes=0-4"}, {"range", "bytes=5-6"}}}).decision.status,
            200);
}

TEST(StaticPlan, ConditionsComeBeforeTheRange) {  // RFC 9110 13.2.2
  EXPECT_EQ(plan({.fields = {{"range", "bytes=0-4"}, {"if-none-match", kEtag}}}).decision.status,
            304);
  EXPECT_EQ(plan({.fields = {{"range", "bytes=0-4"}, {"if-match", "\"x\""}}}).decision.status, 412);
  EXPECT_EQ(plan({.fields = {{"range", "bytes=0-4"}, {"if-range", kEtag}}}).decision.status, 206);
  EXPECT_EQ(plan({.fields = {{"range", "bytes=0-4"}, {"if-range", "\"x\""}}}).decision.status, 200);
}

TEST(StaticPlan, LastModifiedIsNeverInTheFuture) {  // RFC 9110 8.8.2.1
  FileFacts future = facts();
  future.mtime_s = kNow + 1'000'000;
  const Answer answer = plan({}, future);
  EXPECT_EQ(answer.field("last-modified"), "Tue, 14 Nov 2023 22:13:20 GMT");
  const Answer ranged = plan(
      {.fields = {{"range", "bytes=0-1"}, {"if-range", "Tue, 14 Nov 2023 22:13:20 GMT"}}}, future);
  EXPECT_EQ(ranged.decision.status, 200);
}

TEST(StaticPlan, NoCacheControlWhenConfiguredEmpty) {
  FileFacts file = facts();
  const http::Validators validators = static_validators(file, kEtag, kNow);
  file.cache_control = {};
  EXPECT_EQ(static_fields(file, validators).find("cache-control"), nullptr);
}

bool navigates(const std::string& target, const std::string& accept) {
  test::FakeExchange exchange({.target = target, .fields = {{"accept", accept}}});
  return is_navigation(exchange->request());
}

TEST(StaticPlan, ANavigationAsksForAPage) {
  EXPECT_TRUE(navigates("/users/7", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"));
  EXPECT_TRUE(navigates("/v1.2/users", "application/json, Text/HTML ; q=0.1"));
  EXPECT_TRUE(navigates("/users/", "text/html;level=1"));
  for (const char* accept : {"*/*", "text/*", "application/json", "text/html;q=0",
                             "text/html; q=0.000", "", "text/htmlx"}) {
    EXPECT_FALSE(navigates("/users", accept)) << accept;
  }
  EXPECT_FALSE(navigates("/app.js", "text/html"));
  EXPECT_FALSE(navigates("/users/7.json", "text/html"));
}

std::string location(const std::string& target) {
  test::FakeExchange exchange({.target = target});
  return exchange.refusal ? "refused" : directory_location(exchange->request());
}

TEST(StaticPlan, DirectoryLocationStaysOnThisServer) {
  EXPECT_EQ(location("/dir"), "/dir/");
  EXPECT_EQ(location("/dir?a=b&c"), "/dir/?a=b&c");
  EXPECT_EQ(location("/dir?"), "/dir/?");
  EXPECT_EQ(location("/snow%20%E2%98%83"), "/snow%20%E2%98%83/");
  EXPECT_EQ(location("//evil.com"), "/evil.com/");
  EXPECT_EQ(location("/\\evil.com"), "/%5Cevil.com/");
  EXPECT_EQ(location("/%5Cevil.com"), "/%5Cevil.com/");
  EXPECT_EQ(location("/a/..//evil.com"), "/evil.com/");
  EXPECT_EQ(location("/%0d%0aSet-Cookie:x"), "/%0D%0ASet-Cookie%3Ax/");
  EXPECT_EQ(location("http://evil.com//other"), "/other/");
}

TEST(StaticPlan, AnMtimeTagIsTheSameForEveryCopy) {
  const FileFacts file = facts();
  FileFacts copy = file;
  copy.inode = 77;
  copy.ctime_s += 1000;
  EXPECT_EQ(make_etag(EtagKind::kMtime, copy), make_etag(EtagKind::kMtime, file));
  copy.size += 1;
  EXPECT_NE(make_etag(EtagKind::kMtime, copy), make_etag(EtagKind::kMtime, file));
  FileFacts later = file;
  later.mtime_ns += 1;
  EXPECT_NE(make_etag(EtagKind::kMtime, later), make_etag(EtagKind::kMtime, file));
}

TEST(StaticPlan, AnMtimeTagOfWholeSecondsIsWeak) {
  FileFacts file = facts();
  file.mtime_ns = 5;
  EXPECT_TRUE(make_etag(EtagKind::kMtime, file).starts_with("\""));
  file.mtime_ns = 0;
  EXPECT_TRUE(make_etag(EtagKind::kMtime, file).starts_with("W/\""));
  file.mtime_ns = 5;
  file.settled = false;
  EXPECT_TRUE(make_etag(EtagKind::kMtime, file).starts_with("W/\""));
}

TEST(StaticPlan, AContentTagIsTheDigestAlone) {
  FileFacts file = facts();
  EXPECT_EQ(make_etag(EtagKind::kContent, file), "") << "without a digest";
  const std::string digest(32, '\xfb');
  file.content_digest = digest;
  EXPECT_EQ(make_etag(EtagKind::kContent, file), "\"-_v7-_v7-_v7-_v7-_v7-w\"");
  FileFacts other = file;
  other.mtime_s += 1;
  other.inode += 1;
  EXPECT_EQ(make_etag(EtagKind::kContent, other), make_etag(EtagKind::kContent, file));
}

}  // namespace
}  // namespace servery::features
