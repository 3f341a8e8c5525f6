// Static files from the request to the last byte: cache, look-up, pool, ranges, directories.
#include "worker/features/static/static_handler.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <future>
#include <latch>

#include "common/loop/timer.h"
#include "tests/support/handler_probe.h"
#include "tests/support/temp_tree.h"

namespace servery::features {
namespace {

using test::HandlerProbe;
using test::ProbeAnswer;
using test::ProbeRequest;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int kThreads = 2;
constexpr int kLaneThreads = 1;  // a lane may take all threads but one

class Static : public testing::Test {
 protected:
  Static()
      : loop(std::move(*Loop::create())),
        pool(std::move(*BlockingPool::create(*loop, {.threads = kThreads, .queue = 16}))),
        cache({.bytes = 1 << 20, .entries = 100, .proof = {}}) {
    options.index = {"index.html", "index.htm"};
    options.representation.cache_control = "no-cache";
    options.max_cached_file = 100'000;
  }
  ~Static() override {
    pool.reset();  // before the handler
    handler.reset();
  }

  void make(files::SymlinkPolicy symlinks = files::SymlinkPolicy::kInside) {
    files::Root root = std::move(*files::open_root(tree.open(), symlinks, tree.path()));
    has_cached_lookups = root.offers.cached;
    if (without_openat2) root.offers = {};
    handler = std::make_unique<StaticHandler>(StaticServices{*loop, *pool, cache, clock},
                                              std::move(root), options);
  }
  ProbeAnswer ask(ProbeRequest request) {
    if (!handler) make();
    loop->next_turn();
    const std::string path = request.path;
    HandlerProbe probe(*loop, std::move(request), [&](http::Exchange& exchange) {
      handler->handle(exchange, {0, exchange.request().path.substr(prefix)});
    });
    return probe.run();
  }
  ProbeAnswer get(std::string path, std::vector<std::pair<std::string, std::string>> fields = {}) {
    return ask({.path = std::move(path), .fields = std::move(fields)});
  }
  // Until the ctime of what was just written is old enough to be trusted.
  void let_files_settle() {
    Timer timer(*loop, [this] { loop->stop(); });
    timer.start_once(Milliseconds{40});
    loop->run();
  }

  test::TempTree tree;
  std::unique_ptr<Loop> loop;
  std::unique_ptr<BlockingPool> pool;
  files::HotCache cache;
  SystemClock clock;
  StaticOptions options;
  bool without_openat2 = false;
  bool has_cached_lookups = false;
  std::size_t prefix = 0;  // of the path, covered by the route
  std::unique_ptr<StaticHandler> handler;
};

class Teapot final : public routing::Fallback {
 public:
  void run(http::Exchange& exchange) override {
    http::ResponseHead head;
    head.status = 202;
    exchange.respond(std::move(head), nullptr);
  }
};

TEST_F(Static, WhatIsNotFoundIsTheFallbacks) {
  options.fallback = std::make_shared<Teapot>();
  tree.file("a.txt", "hello");
  tree.file(".hidden", "no");
  tree.directory("empty");
  EXPECT_EQ(get("/a.txt").status, 200);
  for (const char* path : {"/gone", "/gone/", "/.hidden", "/empty/", "/a%2Fb", "/a.txt/"}) {
    EXPECT_EQ(get(path).status, 202) << path;
  }
  EXPECT_EQ(get("/empty").status, 308);
  EXPECT_EQ(get("/a.txt", {{"if-match", "\"x\""}}).status, 412);
  options.spa = true;
  tree.file("index.html", "app");
  make();
  EXPECT_EQ(get("/gone", {{"accept", "text/html"}}).body, "app");
  EXPECT_EQ(get("/gone").status, 202);
}

TEST_F(Static, GivesAFileWithItsFields) {
  tree.file("a.txt", "hello", 1'600'000'000);
  const ProbeAnswer answer = get("/a.txt");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.field("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(answer.field("content-length"), "5");
  EXPECT_EQ(answer.field("cache-control"), "no-cache");
  EXPECT_EQ(answer.field("last-modified"), "Sun, 13 Sep 2020 12:26:40 GMT");
  EXPECT_EQ(answer.field("accept-ranges"), "bytes");
}

TEST_F(Static, AYoungFileIsWeakAndNotKept) {
  tree.file("a.txt", "hello");
  EXPECT_THAT(get("/a.txt").field("etag"), StartsWith("W/\""));
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(Static, ASettledFileIsStrongAndKept) {
  tree.file("a.txt", "hello");
  let_files_settle();
  const std::string etag = get("/a.txt").field("etag");
  EXPECT_THAT(etag, StartsWith("\""));
  EXPECT_EQ(cache.size(), 1U);
  if (!has_cached_lookups) GTEST_SKIP() << "no RESOLVE_CACHED in this kernel";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/a.txt").field("etag"), etag);
  EXPECT_GE(cache.counts().hits, 2U);
}

TEST_F(Static, ChangesShowInTheNextTurn) {
  tree.file("a.txt", "one");
  let_files_settle();
  EXPECT_EQ(get("/a.txt").body, "one");
  EXPECT_EQ(get("/a.txt").body, "one");
  tree.file("a.txt", "two");
  EXPECT_EQ(get("/a.txt").body, "two");
  tree.file("b.txt", "three");
  std::filesystem::rename(tree.at("b.txt"), tree.at("a.txt"));
  EXPECT_EQ(get("/a.txt").body, "three");
  std::filesystem::remove(tree.at("a.txt"));
  EXPECT_EQ(get("/a.txt").status, 404);
}

TEST_F(Static, WritesOfOneTickAllShow) {
  for (int i = 0; i < 200; ++i) {
    const std::string text =
        std::to_string(1000 + i);  // same size, same inode, often the same tick
    tree.file("a.txt", text);
    ASSERT_EQ(get("/a.txt").body, text);
  }
}

TEST_F(Static, ConditionalRequestsUseTheSameValidators) {
  tree.file("a.txt", "hello", 1'600'000'000);
  let_files_settle();
  const std::string etag = get("/a.txt").field("etag");
  for (int i = 0; i < 2; ++i) {  // from the disk or from the cache
    const ProbeAnswer answer = get("/a.txt", {{"if-none-match", etag}});
    EXPECT_EQ(answer.status, 304);
    EXPECT_EQ(answer.field("etag"), etag);
    EXPECT_EQ(answer.field("content-length"), "");
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(get("/a.txt", {{"if-match", "\"other\""}}).status, 412);
  }
}

TEST_F(Static, RangesComeFromMemoryAndFromTheFile) {
  std::string large;
  for (int i = 0; i < 200'000; ++i) large += static_cast<char>('a' + i * 7 % 26);
  tree.file("small.bin", "0123456789");
  tree.file("large.bin", large);
  let_files_settle();
  for (int i = 0; i < 2; ++i) {
    const ProbeAnswer small = get("/small.bin", {{"range", "bytes=2-4"}});
    EXPECT_EQ(small.status, 206);
    EXPECT_EQ(small.body, "234");
    EXPECT_EQ(small.field("content-range"), "bytes 2-4/10");
    EXPECT_EQ(small.field("content-length"), "3");
    const ProbeAnswer part = get("/large.bin", {{"range", "bytes=150000-"}});
    EXPECT_EQ(part.status, 206);
    EXPECT_TRUE(part.body == large.substr(150'000));
    const ProbeAnswer beyond = get("/small.bin", {{"range", "bytes=10-"}});
    EXPECT_EQ(beyond.status, 416);
    EXPECT_EQ(beyond.field("content-range"), "bytes */10");
  }
}

TEST_F(Static, LargeFilesAreNotKept) {
  const std::string large(300'000, 'x');
  tree.file("large.bin", large);
  let_files_settle();
  const ProbeAnswer answer = get("/large.bin");
  EXPECT_EQ(answer.length, large.size());
  EXPECT_TRUE(answer.body == large);
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(Static, HeadOfALargeFileHasItsLength) {
  tree.file("large.bin", std::string(300'000, 'x'));
  const ProbeAnswer answer = ask({.path = "/large.bin", .method = http::Method::kHead});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-length"), "300000");
}

TEST_F(Static, DirectoriesNeedTheirSlashAndAnIndex) {
  tree.file("dir/index.html", "index");
  tree.file("second/index.htm", "second");
  tree.directory("empty");
  const ProbeAnswer redirect = get("/dir");
  EXPECT_EQ(redirect.status, 308);
  EXPECT_EQ(redirect.field("location"), "/dir/");
  EXPECT_EQ(get("/dir/").body, "index");
  EXPECT_EQ(get("/second/").body, "second");
  EXPECT_EQ(get("/empty/").status, 404);
  EXPECT_EQ(get("/dir/index.html/").status, 404);
}

TEST_F(Static, AnEarlierIndexTakesOver) {
  tree.file("index.htm", "second");
  let_files_settle();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/").body, "second");
  tree.file("index.html", "first");
  EXPECT_EQ(get("/").body, "first");
}

TEST_F(Static, AFileTakesOverFromThePageBehindIt) {
  options.clean_urls = true;
  tree.file("about.html", "page");
  let_files_settle();
  EXPECT_EQ(get("/about").body, "page");
  EXPECT_EQ(get("/about").body, "page");
  EXPECT_EQ(cache.counts().hits, 1U);
  tree.file("about", "file");
  EXPECT_EQ(get("/about").body, "file");
}

TEST_F(Static, ADirectoryTakesOverFromThePageBeside) {
  options.clean_urls = true;
  tree.file("about.html", "page");
  let_files_settle();
  EXPECT_EQ(get("/about").body, "page");
  tree.file("about/x", "");
  EXPECT_EQ(get("/about").status, 308);
}

TEST_F(Static, TheRouteItselfNeedsItsSlash) {
  tree.file("index.html", "index");
  prefix = 5;
  const ProbeAnswer redirect = get("/docs");
  EXPECT_EQ(redirect.status, 308);
  EXPECT_EQ(redirect.field("location"), "/docs/");
  EXPECT_EQ(get("/docs/").body, "index");
}

TEST_F(Static, NothingOutsideTheRootIsEverServed) {
  test::TempTree outside;
  outside.file("secret.txt", "secret");
  outside.file("dir/a.txt", "outside");
  tree.file("dir/a.txt", "inside");
  tree.link("link.txt", outside.at("secret.txt"));
  let_files_settle();
  EXPECT_EQ(get("/link.txt").status, 404);
  EXPECT_EQ(get("/../secret.txt").status, 404);
  for (int i = 0; i < 50; ++i) {  // a directory and a link that change places
    EXPECT_EQ(get("/dir/a.txt").body, "inside");
    std::filesystem::rename(tree.at("dir"), tree.at("kept"));
    tree.link("dir", outside.at("dir"));
    EXPECT_EQ(get("/dir/a.txt").status, 404);
    std::filesystem::remove(tree.at("dir"));
    std::filesystem::rename(tree.at("kept"), tree.at("dir"));
  }
}

TEST_F(Static, HiddenFilesAreMissing) {
  tree.file(".git/config", "x");
  tree.file(".well-known/acme", "ok");
  EXPECT_EQ(get("/.git/config").status, 404);
  EXPECT_EQ(get("/.well-known/acme").body, "ok");
}

TEST_F(Static, UnreadableThingsAreForbidden) {
  ASSERT_EQ(::mkfifo(tree.at("fifo").c_str(), 0644), 0);
  EXPECT_EQ(get("/fifo").status, 403);
}

TEST_F(Static, WithoutOpenat2ThePoolFindsTheSame) {
  without_openat2 = true;
  tree.file("a.txt", "hello");
  tree.file("dir/index.html", "index");
  tree.file("large.bin", std::string(300'000, 'x'));
  let_files_settle();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(get("/a.txt").body, "hello");
    EXPECT_EQ(get("/dir/").body, "index");
    EXPECT_EQ(get("/large.bin").body.size(), 300'000U);
    EXPECT_EQ(get("/nothing").status, 404);
  }
}

TEST_F(Static, AFullPoolIsSaidSo) {
  without_openat2 = true;
  tree.file("a.txt", "hello");
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::latch busy(kLaneThreads);
  std::vector<BlockingPool::Job> jobs;
  for (int i = 0; i < kLaneThreads; ++i) {  // taken before the queue is filled
    jobs.push_back(std::move(*pool->run(
        Lane::kPath,
        [released, &busy] {
          busy.count_down();
          released.wait();
        },
        [] {})));
  }
  busy.wait();
  while (auto job = pool->run(
             Lane::kPath, [] {}, [] {})) {
    jobs.push_back(std::move(*job));
  }
  EXPECT_EQ(get("/a.txt").status, 503);
  release.set_value();
}

TEST_F(Static, AClientThatLeavesIsForgottenByThePool) {
  without_openat2 = true;
  tree.file("a.txt", "hello");
  make();
  {
    HandlerProbe probe(*loop, {.path = "/a.txt"}, [&](http::Exchange& exchange) {
      handler->handle(exchange, {0, exchange.request().path});
    });
    // Not run to its end: the exchange goes while the job is under way.
    bool turned = false;
    loop->post([&] {
      turned = true;
      probe.leave();
      loop->stop();
    });
    probe.run_until_head();
    EXPECT_TRUE(turned || probe.answer().status == 200);
    probe.leave();
  }
  EXPECT_EQ(get("/a.txt").body, "hello");
}

}  // namespace
}  // namespace servery::features
