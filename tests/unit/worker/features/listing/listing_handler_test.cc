#include "worker/features/listing/listing_handler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zstd.h>

#include "common/base/json.h"
#include "tests/support/handler_probe.h"
#include "tests/support/temp_tree.h"
#include "worker/body/producers.h"

namespace servery::listing {
namespace {

class ListingHandlerTest : public testing::Test {
 protected:
  test::ProbeRequest request(std::string query, std::string path = "/") {
    return {.path = std::move(path), .query = std::move(query)};
  }
  test::ProbeAnswer get(test::ProbeRequest request) { return probe(std::move(request)).run(); }
  test::ProbeAnswer get(std::string query) { return get(request(std::move(query))); }
  Json json(std::string query) {
    auto value = parse_json(get("format=json&" + query).body, 1 << 26);
    EXPECT_TRUE(value);
    return value.value_or(Json{});
  }
  std::vector<std::string> names(const Json& page) {
    std::vector<std::string> list;
    for (const Json& entry : page["entries"]) list.push_back(entry["name"]);
    return list;
  }
  test::HandlerProbe& probe(test::ProbeRequest request) {
    if (!handler_) make_handler({});
    const std::string path = request.path.substr(1);
    probe_ = std::make_unique<test::HandlerProbe>(*loop_, std::move(request),
                                                  [this, path](http::Exchange& exchange) {
                                                    exchange.set_access(access_);
                                                    handler_->answer(exchange, path);
                                                  });
    return *probe_;
  }
  void make_handler(ListingOptions options,
                    files::SymlinkPolicy symlinks = files::SymlinkPolicy::kInside) {
    auto root = files::open_root(tree_.open(), symlinks, "test");
    ASSERT_TRUE(root);
    handler_ =
        std::make_unique<ListingHandler>(*loop_, *pool_, std::move(*root), std::move(options));
  }
  void make_coding_handler(body::ContentCoder::Options options) {
    handler_.reset();
    options.levels = {0, 3, 5, 6};
    coder_ = body::ContentCoder::create(*loop_, options).value();
    make_handler({.coder = coder_.get()});
  }
  static std::string decoded(const std::string& bytes) {
    std::string plain(std::size_t{4} << 20, '\0');
    plain.resize(ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size()));
    return plain;
  }
  test::ProbeAnswer get_coded(std::string query) {
    auto asked = request(std::move(query));
    asked.fields = {{"accept-encoding", "gzip, zstd"}};
    return get(asked);
  }
  void fill(int count) {
    for (int i = 0; i < count; ++i) tree_.file("f" + std::to_string(i), {}, 1'000'000 + i);
  }

  test::TempTree tree_;
  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<ListingHandler> handler_;
  std::unique_ptr<BlockingPool> pool_ = BlockingPool::create(*loop_, {.threads = 2}).value();
  std::unique_ptr<body::ContentCoder> coder_;
  http::Access access_;
  std::unique_ptr<test::HandlerProbe> probe_;
};

using Names = std::vector<std::string>;

TEST_F(ListingHandlerTest, ShowsWhatIsThere) {
  tree_.file("b.txt", "12345", 1'700'000'000);
  tree_.directory("a", 1'600'000'000);
  const auto answer = get("");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(answer.field("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.field("vary"), "accept");
  EXPECT_EQ(answer.field("x-content-type-options"), "nosniff");
  EXPECT_EQ(answer.field("content-security-policy"), content_security_policy());
  EXPECT_NE(answer.body.find("href=\"a/\""), std::string::npos);
  EXPECT_NE(answer.body.find("2023-11-14 22:13"), std::string::npos);

  const Json page = json("");
  EXPECT_EQ(names(page), (Names{"a", "b.txt"}));
  EXPECT_EQ(page["entries"][1]["size"], 5);
}

TEST_F(ListingHandlerTest, TheTagFollowsWhatIsShown) {
  tree_.file("a", "1", 1'700'000'000);
  auto asked = request("format=json");
  const auto first = get(asked);
  ASSERT_FALSE(first.field("etag").empty());
  asked.fields = {{"if-none-match", first.field("etag")}};
  const auto same = get(asked);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.field("etag"), first.field("etag"));
  EXPECT_EQ(same.field("vary"), "accept");
  EXPECT_TRUE(same.body.empty());
  tree_.file("a", "22", 1'700'000'000);  // the directory itself has not changed
  const auto changed = get(asked);
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.field("etag"), first.field("etag"));
}

TEST_F(ListingHandlerTest, DatesAreIgnoredWhereThereIsNone) {  // RFC 9110 13.1.3
  auto asked = request("");
  asked.fields = {{"if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  EXPECT_EQ(get(asked).status, 200);
  asked.fields = {{"if-match", "\"other\""}};
  EXPECT_EQ(get(asked).status, 412);
}

TEST_F(ListingHandlerTest, HeadGivesTheLengthOnly) {
  fill(3);
  auto asked = request("");
  const std::string length = get(asked).field("content-length");
  asked.method = http::Method::kHead;
  const auto head = get(asked);
  EXPECT_EQ(head.field("content-length"), length);
  EXPECT_TRUE(head.body.empty());
}

TEST_F(ListingHandlerTest, AcceptChoosesJson) {
  auto asked = request("");
  asked.fields = {{"accept", "text/html;q=0.1"}, {"accept", "application/json"}};
  EXPECT_EQ(get(asked).field("content-type"), "application/json");
}

TEST_F(ListingHandlerTest, SortsAndFilters) {
  tree_.file("one", "1", 3'000);
  tree_.file("Two", "22", 1'000);
  tree_.file("three", "333", 2'000);
  tree_.directory("zoo", 9'000);
  EXPECT_EQ(names(json("")), (Names{"zoo", "one", "three", "Two"}));
  EXPECT_EQ(names(json("sort=size&order=desc")), (Names{"zoo", "three", "Two", "one"}));
  EXPECT_EQ(names(json("sort=time")), (Names{"zoo", "Two", "three", "one"}));
  EXPECT_EQ(names(json("q=O")), (Names{"zoo", "one", "Two"}));
  EXPECT_EQ(json("q=O")["total"], 3);
}

TEST_F(ListingHandlerTest, HiddenNamesNeedPermission) {  // reference B24
  tree_.file(".secret", "x");
  tree_.file("open", "x");
  EXPECT_EQ(names(json("")), (Names{"open"}));
  EXPECT_EQ(names(json("q=secret")), Names{});
  make_handler({.shows_hidden = true});
  EXPECT_EQ(names(json("")), (Names{".secret", "open"}));
}

TEST_F(ListingHandlerTest, BrokenChildrenDoNotSinkIt) {
  tree_.file("fine", "x");
  tree_.link("dangling", "nowhere");
  tree_.link("loop", "loop");
  tree_.link("outside", "/etc/passwd");
  tree_.link("inside", "fine");
  tree_.directory("closed");
  ::chmod(tree_.at("closed").c_str(), 0);
  ::mkfifo(tree_.at("pipe").c_str(), 0600);
  for (const std::string query : {"", "sort=size&", "sort=time&order=desc&"}) {
    const Json page = json(query);
    ASSERT_EQ(page["entries"].size(), 7U) << query;
    for (const Json& entry : page["entries"]) {
      const std::string name = entry["name"];
      const std::string type = name == "closed"                     ? "directory"
                               : name == "fine" || name == "inside" ? "file"
                                                                    : "unavailable";
      EXPECT_EQ(entry["type"], type) << name;
    }
  }
}

TEST_F(ListingHandlerTest, LinksFollowTheRootsRule) {
  tree_.directory("real");
  tree_.link("way", "real");
  EXPECT_EQ(json("")["entries"][1]["type"], "directory");
  make_handler({}, files::SymlinkPolicy::kNone);
  EXPECT_EQ(json("q=way")["entries"][0]["type"], "unavailable");
}

TEST_F(ListingHandlerTest, PagesAreLinkedBothWays) {
  fill(25);
  Names seen;
  Json page = json("limit=10");
  EXPECT_EQ(page["previous"], nullptr);
  while (true) {
    for (const auto& name : names(page)) seen.push_back(name);
    if (page["next"].is_null()) break;
    const auto answer = get(page["next"].get<std::string>().substr(1));
    page = *parse_json(answer.body, 1 << 20);
    EXPECT_NE(answer.field("link").find("rel=\"prev\""), std::string::npos);
  }
  ASSERT_EQ(seen.size(), 25U);
  EXPECT_EQ(seen[24], "f24");
  page = *parse_json(get(page["previous"].get<std::string>().substr(1)).body, 1 << 20);
  EXPECT_EQ(names(page).front(), "f10");
  EXPECT_EQ(page["first"], 10);
}

TEST_F(ListingHandlerTest, HtmlIsPagedByDefault) {
  fill(501);
  EXPECT_NE(get("").body.find("1–500 of 501"), std::string::npos);
}

TEST_F(ListingHandlerTest, ALongListingIsStreamed) {
  fill(2'001);
  const auto answer = get("format=json");
  EXPECT_FALSE(answer.length);
  EXPECT_FALSE(answer.is_broken);
  EXPECT_TRUE(answer.field("etag").empty());
  const auto page = parse_json(answer.body, 1 << 26);
  ASSERT_TRUE(page);
  ASSERT_EQ((*page)["entries"].size(), 2'001U);
  EXPECT_EQ((*page)["entries"][2'000]["name"], "f2000");
  EXPECT_EQ((*page)["total"], 2'001);
}

TEST_F(ListingHandlerTest, ALongListingHasPreconditionsWithoutATag) {  // RFC 9110 13.1.1, 13.1.2
  fill(2'001);
  const auto status_with = [this](const char* field, const char* value) {
    auto asked = request("format=json");
    asked.fields.emplace_back(field, value);
    return get(asked).status;
  };
  EXPECT_EQ(status_with("if-match", "\"x\""), 412);
  EXPECT_EQ(status_with("if-match", "*"), 200);
  EXPECT_EQ(status_with("if-none-match", "*"), 304);
  EXPECT_EQ(status_with("if-none-match", "\"x\""), 200);
}

TEST_F(ListingHandlerTest, APageIsCodedWithATagOfItsOwn) {  // RFC 9110 8.8.3.3
  fill(3);
  make_coding_handler({});
  const auto plain = get("");
  EXPECT_EQ(plain.field("vary"), "accept, accept-encoding");
  const auto coded = get_coded("");
  EXPECT_EQ(coded.field("content-encoding"), "zstd");
  EXPECT_EQ(coded.field("vary"), "accept, accept-encoding");
  EXPECT_EQ(coded.field("content-length"), std::to_string(coded.body.size()));
  EXPECT_EQ(coded.field("content-security-policy"), content_security_policy());
  EXPECT_EQ(decoded(coded.body), plain.body);
  EXPECT_NE(coded.field("etag"), plain.field("etag"));

  auto asked = request("");
  asked.fields = {{"accept-encoding", "zstd"}, {"if-none-match", coded.field("etag")}};
  const auto same = get(asked);
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.field("etag"), coded.field("etag"));
  EXPECT_EQ(same.field("vary"), "accept, accept-encoding");
  EXPECT_EQ(same.field("content-encoding"), "");
  asked.fields = {{"if-none-match", coded.field("etag")}};
  EXPECT_EQ(get(asked).status, 200);
  EXPECT_EQ(coder_->counts().encoded, 1U);
}

TEST_F(ListingHandlerTest, ALongListingIsCodedWhileItIsStreamed) {
  fill(2'001);
  make_coding_handler({});
  const auto coded = get_coded("format=json");
  EXPECT_EQ(coded.field("content-encoding"), "zstd");
  EXPECT_FALSE(coded.length);
  EXPECT_EQ(decoded(coded.body), get("format=json").body);
  EXPECT_EQ(coder_->counts().streamed, 1U);
  EXPECT_EQ(coder_->counts().in_flight, 0U);
}

TEST_F(ListingHandlerTest, WhatFindsNoRoomIsPlainOrRefused) {
  fill(2'001);
  for (const bool refuses : {false, true}) {
    make_coding_handler({.queue = 0, .refuses_saturated = refuses});
    std::vector<std::unique_ptr<http::BodySource>> others;
    while (coder_->has_place()) {
      others.push_back(
          coder_->stream(std::make_shared<body::MemoryProducer>("x"), http::Coding::kZstd));
    }
    for (const std::string query : {"", "format=json"}) {
      const auto answer = get_coded(query);
      EXPECT_EQ(answer.status, refuses ? 503 : 200) << query;
      EXPECT_EQ(answer.field("content-encoding"), "");
      if (!refuses) {
        EXPECT_EQ(answer.body, get(query).body);
      }
    }
  }
}

TEST_F(ListingHandlerTest, AShortPageIsNotCoded) {
  fill(1);
  make_coding_handler({.min_size = 500});
  const auto answer = get_coded("format=json");
  EXPECT_EQ(answer.field("content-encoding"), "");
  EXPECT_EQ(answer.field("vary"), "accept, accept-encoding");
  EXPECT_EQ(answer.body, get("format=json").body);
}

TEST_F(ListingHandlerTest, TheReadmeStandsBelowTheFirstPage) {
  fill(30);
  tree_.file("README.md", "# Hello\n\n[x](javascript:alert(1)) <script>alert(1)</script>");
  EXPECT_EQ(get("").body.find("Hello"), std::string::npos);
  make_handler({.shows_readme = true});
  const auto has_readme = [this](const std::string& query) {
    return get(query).body.find("<h3>Hello</h3>") != std::string::npos;
  };
  const auto page = get("");
  EXPECT_NE(page.body.find("<h3>Hello</h3><p>x alert(1)</p>"), std::string::npos);
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  EXPECT_EQ(page.field("content-security-policy"), content_security_policy());
  EXPECT_TRUE(has_readme("limit=10"));
  const std::string next = json("limit=10")["next_cursor"];
  EXPECT_FALSE(has_readme("limit=10&cursor=" + next));
  EXPECT_FALSE(has_readme("q=README"));
  EXPECT_FALSE(has_readme("format=json"));
  tree_.file("README.md", "# Hullo");  // as long as the first line was
  EXPECT_NE(get("").field("etag"), page.field("etag"));
  access_.rights = http::RightSet::of(http::Right::kList);  // but not to read
  EXPECT_EQ(get("").body.find("Hullo"), std::string::npos);
}

TEST_F(ListingHandlerTest, AStreamedListingHasTheReadmeToo) {
  fill(2'001);
  tree_.file("README.md", "# Hello");
  make_handler({.shows_readme = true});
  const auto answer = get("limit=3000");
  EXPECT_FALSE(answer.length);
  EXPECT_NE(answer.body.find("<h3>Hello</h3>"), std::string::npos);
}

TEST_F(ListingHandlerTest, AReadmeThatCannotBeReadDoesNotSinkIt) {
  tree_.link("README.md", "/etc/passwd");
  tree_.link("README.markdown", "README.markdown");
  ::mkfifo(tree_.at("README").c_str(), 0600);
  tree_.directory("readme.txt");
  make_handler({.shows_readme = true});
  EXPECT_EQ(get("").status, 200);
  EXPECT_EQ(get("").body.find("<section"), std::string::npos);
  tree_.file("README.txt", "text");  // the first that is a file
  EXPECT_NE(get("").body.find("<pre class=y>text</pre>"), std::string::npos);
  ::chmod(tree_.at("README.txt").c_str(), 0);
  EXPECT_EQ(get("").status, 200);
}

TEST_F(ListingHandlerTest, AStreamedListingPassesOverTheDirectoryAgain) {
  constexpr int kCount = 66'000;  // more than one pass holds
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(::mknodat(AT_FDCWD, tree_.at("n" + std::to_string(i)).c_str(), S_IFREG | 0600, 0), 0);
  }
  const auto answer = get("format=ndjson");
  std::size_t count = 0;
  for (const char c : answer.body) count += c == '\n';
  EXPECT_EQ(count, std::size_t{kCount});
  EXPECT_TRUE(answer.body.find("\"n65536\"") < answer.body.find("\"n65537\""));
  const auto part = get("format=ndjson&limit=65600");
  count = 0;
  for (const char c : part.body) count += c == '\n';
  EXPECT_EQ(count, 65'600U);
}

TEST_F(ListingHandlerTest, StreamsAreBoundedAndEndWithTheirClients) {
  fill(2'001);
  std::vector<std::unique_ptr<test::HandlerProbe>> clients;
  for (int i = 0; i < 9; ++i) {
    probe(request("format=ndjson")).run_until_head();
    clients.push_back(std::move(probe_));
  }
  EXPECT_EQ(clients[7]->answer().status, 200);
  EXPECT_EQ(clients[8]->answer().status, 503);
  EXPECT_EQ(clients[8]->answer().field("retry-after"), "1");
  EXPECT_EQ(get("").status, 200);  // short ones are not counted
  clients[3]->leave();
  EXPECT_EQ(get("format=ndjson").status, 200);
  for (auto& client : clients) client->leave();
}

TEST_F(ListingHandlerTest, AClientThatLeavesBeforeTheHeadHearsNothing) {
  fill(3);
  auto& client = probe(request(""));
  client.start_and_leave();
  EXPECT_EQ(client.answer().status, 0);
  EXPECT_EQ(get("").status, 200);
}

TEST_F(ListingHandlerTest, RefusesWhatItCannotRead) {
  tree_.file("file", "x");
  EXPECT_EQ(get(request("", "/gone/")).status, 404);
  EXPECT_EQ(get(request("", "/file/")).status, 404);
  EXPECT_EQ(get("limit=x").status, 400);
  EXPECT_EQ(get("cursor=x").status, 400);
}

}  // namespace
}  // namespace servery::listing
