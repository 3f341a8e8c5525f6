// The cache against those who change files behind it: nothing stale, nothing outside the root.
#include "worker/files/hot_cache.h"

#include <gtest/gtest.h>

#include "tests/support/temp_tree.h"

namespace servery::files {
namespace {

using Mode = ProofPolicy::Mode;

class Cache : public testing::Test {
 protected:
  Cache() : root(std::move(*open_root(tree.open(), SymlinkPolicy::kInside, "root"))) {}

  void SetUp() override {
    if (!root.offers.cached) GTEST_SKIP() << "no RESOLVE_CACHED in this kernel";
  }
  static HotCache::Limits limits(Mode mode, std::uint64_t bytes = 1 << 20,
                                 std::uint64_t entries = 100) {
    return {.bytes = bytes, .entries = entries, .proof = {mode, Milliseconds{1000}}};
  }
  static HotCache::Key key(std::string_view path, std::uint32_t route = 0) {
    return {.route = route, .codings = 0, .path = path};
  }
  static Moment at(std::uint64_t turn, int ms = 0) {
    return {turn, SteadyTime(Milliseconds{100'000 + ms})};
  }
  CachedFile file(const char* path, std::string text) {
    tree.file(path, text);
    auto ok = std::make_shared<http::PreparedResponse>();
    ok->body = std::move(text);
    CachedFile made;
    made.identity = acquire_resource(root, path, Access::kBlocking).identity;
    made.opened = path;
    made.ok = ok;
    made.not_modified = std::make_shared<http::PreparedResponse>();
    return made;
  }
  static std::string body(const CachedFile* found) { return found ? found->ok->body : "none"; }

  test::TempTree tree;
  Root root;
};

TEST_F(Cache, FindsWhatItKept) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "A"), at(1));
  EXPECT_EQ(body(cache.find(key("/a"), root, at(1))), "A");
  EXPECT_EQ(body(cache.find(key("/a"), root, at(2))), "A");
  EXPECT_EQ(cache.find(key("/b"), root, at(2)), nullptr);
  EXPECT_EQ(cache.find(key("/a", 1), root, at(2)), nullptr) << "another route";
}

TEST_F(Cache, ProvesOncePerTurn) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "A"), at(1));
  for (int i = 0; i < 5; ++i) cache.find(key("/a"), root, at(1));
  EXPECT_EQ(cache.counts().proofs, 0U) << "read in this turn";
  for (int i = 0; i < 5; ++i) cache.find(key("/a"), root, at(2));
  EXPECT_EQ(cache.counts().proofs, 1U);
  for (int i = 0; i < 5; ++i) cache.find(key("/a"), root, at(3));
  EXPECT_EQ(cache.counts().proofs, 2U);
}

TEST_F(Cache, WhatThePoolReadIsProvedFirst) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "A"), {0, at(1).now});
  cache.find(key("/a"), root, at(1));
  EXPECT_EQ(cache.counts().proofs, 1U);
}

TEST_F(Cache, WhatCannotBeProvedWithoutBlockingStays) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "A"), at(1));
  root.offers.cached = false;
  EXPECT_EQ(cache.find(key("/a"), root, at(2)), nullptr);
  EXPECT_EQ(cache.counts().stale, 0U);
  root.offers.cached = true;
  EXPECT_EQ(body(cache.find(key("/a"), root, at(3))), "A");
}

TEST_F(Cache, IsConfirmedByWhatElseWasSeen) {
  HotCache cache(limits(Mode::kTurn));
  const CachedFile kept = file("a", "A");
  cache.keep(key("/a"), kept, at(1));
  CachedFile seen;
  seen.identity = kept.identity;
  seen.opened = kept.opened;
  EXPECT_EQ(body(cache.confirm(key("/a"), seen, at(2))), "A");
  EXPECT_EQ(body(cache.find(key("/a"), root, at(2))), "A");
  EXPECT_EQ(cache.counts().proofs, 0U) << "confirmed for this turn";
  EXPECT_EQ(cache.confirm(key("/b"), seen, at(2)), nullptr);
  CachedFile other = seen;
  ++other.identity.ctime_ns;
  EXPECT_EQ(cache.confirm(key("/a"), other, at(2)), nullptr) << "written to";
  other = seen;
  other.missing = {"a/index.html"};
  EXPECT_EQ(cache.confirm(key("/a"), other, at(2)), nullptr);
  other = seen;
  other.unchanged = {{"a.gz", seen.identity}};
  EXPECT_EQ(cache.confirm(key("/a"), other, at(2)), nullptr) << "a refused sidecar";
  other = seen;
  other.coding = http::Coding::kGzip;
  EXPECT_EQ(cache.confirm(key("/a"), other, at(2)), nullptr);
}

TEST_F(Cache, ProvesEveryTimeWhenAsked) {
  HotCache cache(limits(Mode::kRequest));
  cache.keep(key("/a"), file("a", "A"), at(1));
  for (int i = 0; i < 5; ++i) cache.find(key("/a"), root, at(1));
  EXPECT_EQ(cache.counts().proofs, 5U);
}

TEST_F(Cache, TradesFreshnessForAnInterval) {
  HotCache cache(limits(Mode::kInterval));
  cache.keep(key("/a"), file("a", "A"), at(1, 0));
  tree.file("a", "changed");
  EXPECT_EQ(body(cache.find(key("/a"), root, at(2, 999))), "A");
  EXPECT_EQ(cache.find(key("/a"), root, at(3, 1000)), nullptr);
}

TEST_F(Cache, NeverGivesAReplacedFile) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "old"), at(1));
  tree.file("b", "new");
  std::filesystem::rename(tree.at("b"), tree.at("a"));
  EXPECT_EQ(cache.find(key("/a"), root, at(2)), nullptr);
  EXPECT_EQ(cache.counts().stale, 1U);
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(Cache, NeverGivesARewrittenFile) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "old"), at(1));
  tree.file("a", "new");  // same inode, same size
  tree.set_mtime("a", 1);
  EXPECT_EQ(cache.find(key("/a"), root, at(2)), nullptr);
}

TEST_F(Cache, NeverGivesARemovedFile) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "old"), at(1));
  std::filesystem::remove(tree.at("a"));
  EXPECT_EQ(cache.find(key("/a"), root, at(2)), nullptr);
}

TEST_F(Cache, NeverGivesWhatHasLeftTheRoot) {
  HotCache cache(limits(Mode::kTurn));
  test::TempTree outside;
  CachedFile inside = file("dir/a", "secret now");
  cache.keep(key("/dir/a"), inside, at(1));
  ASSERT_NE(cache.find(key("/dir/a"), root, at(2)), nullptr);
  std::filesystem::rename(tree.at("dir"), outside.at("dir"));
  tree.link("dir", outside.at("dir"));
  EXPECT_EQ(cache.find(key("/dir/a"), root, at(3)), nullptr);
}

TEST_F(Cache, AnEarlierIndexNameEndsALaterOne) {
  HotCache cache(limits(Mode::kTurn));
  CachedFile second = file("index.htm", "second");
  second.missing = {"index.html"};
  ASSERT_EQ(acquire_resource(root, "index.html", Access::kBlocking).kind,
            Resource::Kind::kMissing);  // as the look-up did that chose the second
  cache.keep(key("/"), second, at(1));
  EXPECT_EQ(body(cache.find(key("/"), root, at(2))), "second");
  tree.file("index.html", "first");
  EXPECT_EQ(cache.find(key("/"), root, at(3)), nullptr);
}

TEST_F(Cache, KeepsTheNewestOfAPath) {
  HotCache cache(limits(Mode::kTurn));
  cache.keep(key("/a"), file("a", "one"), at(1));
  cache.keep(key("/a"), file("a", "two!"), at(1));
  EXPECT_EQ(body(cache.find(key("/a"), root, at(1))), "two!");
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(Cache, StaysWithinItsEntries) {
  HotCache cache(limits(Mode::kTurn, 1 << 20, 3));
  for (const char* name : {"a", "b", "c"}) cache.keep(key(name), file(name, name), at(1));
  cache.find(key("a"), root, at(1));  // used: a second chance
  cache.keep(key("d"), file("d", "d"), at(1));
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_EQ(cache.counts().evictions, 1U);
  EXPECT_EQ(body(cache.find(key("a"), root, at(1))), "a");
  EXPECT_EQ(cache.find(key("b"), root, at(1)), nullptr);
}

TEST_F(Cache, StaysWithinItsBytes) {
  HotCache cache(limits(Mode::kTurn, 20'000, 100));
  for (int i = 0; i < 20; ++i) {
    const std::string name = "f" + std::to_string(i);
    cache.keep(key(name), file(name.c_str(), std::string(5000, 'x')), at(1));
    EXPECT_LE(cache.bytes(), 20'000U);
  }
  EXPECT_EQ(cache.size(), 3U);
}

TEST_F(Cache, LeavesOutWhatCanNeverFit) {
  HotCache cache(limits(Mode::kTurn, 10'000));
  cache.keep(key("/small"), file("small", "s"), at(1));
  cache.keep(key("/big"), file("big", std::string(20'000, 'x')), at(1));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(body(cache.find(key("/small"), root, at(1))), "s");
}

TEST_F(Cache, OfNoBytesKeepsNothing) {
  HotCache cache(limits(Mode::kTurn, 0));
  cache.keep(key("/a"), file("a", ""), at(1));
  EXPECT_EQ(cache.find(key("/a"), root, at(1)), nullptr);
}

}  // namespace
}  // namespace servery::files
