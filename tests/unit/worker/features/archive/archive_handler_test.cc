#include "worker/features/archive/archive_handler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "tests/support/handler_probe.h"
#include "tests/support/temp_tree.h"

namespace servery::archive {
namespace {

std::string noise(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  for (char& c : bytes) {
    seed = seed * 1'664'525 + 1'013'904'223;
    c = static_cast<char>(seed >> 24);
  }
  return bytes;
}

class ArchiveHandlerTest : public testing::Test {
 protected:
  static test::ProbeRequest request(std::string query, std::string path = "/box/") {
    return {.path = std::move(path), .query = std::move(query)};
  }
  test::HandlerProbe& probe(test::ProbeRequest request) {
    if (!handler_) make_handler({});
    const std::string path = request.path.substr(1);
    probe_ = std::make_unique<test::HandlerProbe>(
        *loop_, std::move(request),
        [this, path](http::Exchange& exchange) { handler_->answer(exchange, path); });
    return *probe_;
  }
  test::ProbeAnswer get(test::ProbeRequest request) { return probe(std::move(request)).run(); }
  test::ProbeAnswer get(std::string query) { return get(request(std::move(query))); }
  test::ProbeAnswer get_range(std::string query, std::string range, std::string if_range = {}) {
    auto asked = request(std::move(query));
    asked.fields = {{"range", std::move(range)}};
    if (!if_range.empty()) asked.fields.emplace_back("if-range", std::move(if_range));
    return get(std::move(asked));
  }
  void make_handler(ArchiveOptions options,
                    files::SymlinkPolicy symlinks = files::SymlinkPolicy::kInside) {
    auto root = files::open_root(tree_.open(), symlinks, "test");
    ASSERT_TRUE(root);
    handler_ =
        std::make_unique<ArchiveHandler>(*loop_, *pool_, std::move(*root), std::move(options));
  }
  // Files of all kinds of size, long ago enough for strong tags.
  void fill() {
    tree_.file("box/empty", "", 1'600'000'001);
    tree_.file("box/small.txt", "hello", 1'600'000'003);
    tree_.file("box/edge", noise(zip::kSmall, 1), 1'600'000'005);
    tree_.file("box/large", noise(zip::kSmall + 1, 2), 1'600'000'007);
    tree_.file("box/sub/deep/\xc3\xa4 b.bin", noise(300'000, 3), 1'600'000'009);
    tree_.file("box/sub/run", "#!", 1'600'000'011);
    ::chmod(tree_.at("box/sub/run").c_str(), 0755);
    tree_.directory("box/nothing");
  }
  // The archive's members by python's own reader: "path size mode mtime sha" each line.
  std::string members(const test::ProbeAnswer& answer, const std::string& kind) {
    tree_.file("out." + kind, answer.body);
    const std::string script =
        kind == "zip"
            ? "z=zipfile.ZipFile(f);assert z.testzip() is None\n"
              "for i in z.infolist(): print(i.filename,i.file_size,oct(i.external_attr>>16))"
            : "t=tarfile.open(f)\n"
              "for i in t: print(i.name+('/' if i.isdir() else ''),i.size,oct(i.mode))";
    std::ofstream(tree_.at("list.py")) << "import sys,zipfile,tarfile\nf=sys.argv[1]\n" << script;
    return output("python3 " + tree_.at("list.py") + " " + tree_.at("out." + kind));
  }
  static std::string output(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    for (int c = ::fgetc(pipe); c != EOF; c = ::fgetc(pipe)) text += static_cast<char>(c);
    if (const int status = ::pclose(pipe)) text += "status " + std::to_string(status);
    return text;
  }

  test::TempTree tree_;
  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<ArchiveHandler> handler_;
  std::unique_ptr<BlockingPool> pool_ = BlockingPool::create(*loop_, {.threads = 2}).value();
  std::unique_ptr<test::HandlerProbe> probe_;
};

TEST_F(ArchiveHandlerTest, AZipHoldsEverything) {
  fill();
  const auto answer = get("archive=zip");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-type"), "application/zip");
  EXPECT_EQ(answer.field("content-disposition"), "attachment; filename=\"box.zip\"");
  EXPECT_EQ(answer.field("content-length"), std::to_string(answer.body.size()));
  EXPECT_EQ(answer.field("accept-ranges"), "bytes");
  EXPECT_FALSE(answer.is_broken);
  EXPECT_EQ(members(answer, "zip"),
            "box/ 0 0o40755\nbox/edge 65536 0o100644\nbox/empty 0 0o100644\n"
            "box/large 65537 0o100644\nbox/small.txt 5 0o100644\nbox/nothing/ 0 0o40755\n"
            "box/sub/ 0 0o40755\nbox/sub/run 2 0o100755\nbox/sub/deep/ 0 0o40755\n"
            "box/sub/deep/\xc3\xa4 b.bin 300000 0o100644\n");
}

TEST_F(ArchiveHandlerTest, EveryReaderFindsTheZipClean) {  // reference B64
  fill();
  tree_.file("out.zip", get("archive=zip").body);
  const std::string zip = tree_.at("out.zip");
  const auto has = [](const std::string& tool) {
    return std::system(("command -v " + tool + " >/dev/null").c_str()) == 0;
  };
  EXPECT_EQ(output("python3 -m zipfile -t " + zip), "Done testing\n");
  if (has("unzip")) {
    EXPECT_NE(output("unzip -t " + zip).find("No errors"), std::string::npos);
  }
  if (has("7z")) {
    EXPECT_NE(output("7z t " + zip).find("Everything is Ok"), std::string::npos);
  }
  if (has("bsdtar")) {
    tree_.directory("unpacked");
    EXPECT_EQ(output("bsdtar -xf " + zip + " -C " + tree_.at("unpacked")), "");
    EXPECT_EQ(output("diff -r " + tree_.at("box") + " " + tree_.at("unpacked/box")), "");
    tree_.directory("streamed");  // without seeking: by the headers alone
    EXPECT_EQ(output("cat " + zip + " | bsdtar -xf - -C " + tree_.at("streamed")), "");
    EXPECT_EQ(output("diff -r " + tree_.at("box") + " " + tree_.at("streamed/box")), "");
  }
}

TEST_F(ArchiveHandlerTest, TarsHoldTheSameTree) {
  fill();
  for (const std::string kind : {"tar", "tar.gz"}) {
    const auto answer = get("archive=" + kind);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.length.has_value(), kind == "tar");
    EXPECT_EQ(members(answer, kind),
              "box/ 0 0o755\nbox/edge 65536 0o644\nbox/empty 0 0o644\n"
              "box/large 65537 0o644\nbox/small.txt 5 0o644\nbox/nothing/ 0 0o755\n"
              "box/sub/ 0 0o755\nbox/sub/run 2 0o755\nbox/sub/deep/ 0 0o755\n"
              "box/sub/deep/\xc3\xa4 b.bin 300000 0o644\n");
    tree_.directory("unpacked");
    EXPECT_EQ(output("tar -xf " + tree_.at("out." + kind) + " -C " + tree_.at("unpacked")), "");
    EXPECT_EQ(output("diff -r " + tree_.at("box") + " " + tree_.at("unpacked/box")), "");
  }
}

TEST_F(ArchiveHandlerTest, ZstdIsTheSameTar) {
  fill();
  const std::string tar = get("archive=tar").body;
  const auto answer = get("archive=tar.zst");
  EXPECT_EQ(answer.field("content-type"), "application/zstd");
  EXPECT_EQ(answer.field("accept-ranges"), "");
  EXPECT_LT(answer.body.size(), tar.size());
  EXPECT_EQ(answer.body.substr(0, 4), "\x28\xb5\x2f\xfd");
  EXPECT_EQ(get("archive=tar.zst").body, answer.body);  // the same bytes each time
}

TEST_F(ArchiveHandlerTest, AnyRangeIsTheSameBytes) {
  fill();
  for (const std::string query : {"archive=zip", "archive=tar"}) {
    const std::string whole = get(query).body;
    for (std::size_t first = 0; first < whole.size(); first += 3'331) {
      make_handler({});  // nothing is remembered
      const std::size_t last = std::min(whole.size() - 1, first + 100);
      const auto part =
          get_range(query, "bytes=" + std::to_string(first) + "-" + std::to_string(last));
      ASSERT_EQ(part.status, 206);
      ASSERT_EQ(part.field("content-range"), "bytes " + std::to_string(first) + "-" +
                                                 std::to_string(last) + "/" +
                                                 std::to_string(whole.size()));
      ASSERT_EQ(part.field("content-length"), std::to_string(last - first + 1));
      ASSERT_EQ(part.body, whole.substr(first, last - first + 1)) << query << " " << first;
    }
    EXPECT_EQ(get_range(query, "bytes=-1000").body, whole.substr(whole.size() - 1000));
    EXPECT_EQ(get_range(query, "bytes=70000-").body, whole.substr(70'000));
  }
}

TEST_F(ArchiveHandlerTest, RangesOutsideAndHead) {
  fill();
  const std::string size = get("archive=zip").field("content-length");
  const auto outside = get_range("archive=zip", "bytes=" + size + "-");
  EXPECT_EQ(outside.status, 416);
  EXPECT_EQ(outside.field("content-range"), "bytes */" + size);
  auto asked = request("archive=zip");
  asked.method = http::Method::kHead;
  asked.fields = {{"range", "bytes=0-1"}};  // RFC 9110 14.2: GET alone
  const auto head = get(asked);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.field("content-length"), size);
  EXPECT_TRUE(head.body.empty());
  EXPECT_EQ(get_range("archive=tar.gz", "bytes=0-1").status, 200);
}

TEST_F(ArchiveHandlerTest, TheTagFollowsTheTree) {
  fill();
  auto asked = request("archive=zip");
  std::string tag = get(asked).field("etag");
  EXPECT_NE(get("archive=tar").field("etag"), tag);
  while (tag.starts_with("W/")) tag = get(asked).field("etag");  // until the clock's tick is over
  EXPECT_EQ(get_range("archive=zip", "bytes=0-9", tag).status, 206);
  EXPECT_EQ(get_range("archive=zip", "bytes=0-9", "\"other\"").status, 200);
  asked.fields = {{"if-none-match", tag}};
  EXPECT_EQ(get(asked).status, 304);
  tree_.file("box/sub/run", "!#", 1'600'000'011);  // same size, same mtime
  EXPECT_EQ(get(asked).status, 200);
  asked.fields = {{"if-match", tag}};
  EXPECT_EQ(get(asked).status, 412);
}

TEST_F(ArchiveHandlerTest, OnlyWhatWasChosen) {
  fill();
  const auto answer = get("archive=zip&entry=sub&entry=small.txt");
  EXPECT_EQ(members(answer, "zip"),
            "box/ 0 0o40755\nbox/small.txt 5 0o100644\nbox/sub/ 0 0o40755\n"
            "box/sub/run 2 0o100755\nbox/sub/deep/ 0 0o40755\n"
            "box/sub/deep/\xc3\xa4 b.bin 300000 0o100644\n");
  EXPECT_EQ(get("archive=zip&entry=gone").status, 404);
  EXPECT_EQ(get("archive=zip&entry=..").status, 404);
}

TEST_F(ArchiveHandlerTest, HiddenNamesAndLinksFollowTheRules) {  // reference B24, B25
  tree_.file("box/.git/config", "secret");
  tree_.file("box/sub/.env", "secret");
  tree_.file("box/open", "x");
  tree_.link("box/inside", "open");
  tree_.link("box/outside", "/etc/passwd");
  tree_.link("box/around", ".");
  tree_.link("box/dangling", "nowhere");
  ::mkfifo(tree_.at("box/pipe").c_str(), 0600);
  EXPECT_EQ(members(get("archive=zip"), "zip"),
            "box/ 0 0o40755\nbox/inside 1 0o100644\nbox/open 1 0o100644\nbox/sub/ 0 0o40755\n");
  EXPECT_EQ(get("archive=zip&entry=.git").status, 404);
  EXPECT_EQ(get("archive=zip&entry=outside").status, 404);
  EXPECT_EQ(get("archive=zip&entry=pipe").status, 404);
  make_handler({.shows_hidden = true}, files::SymlinkPolicy::kNone);
  EXPECT_EQ(members(get("archive=zip"), "zip"),
            "box/ 0 0o40755\nbox/open 1 0o100644\nbox/.git/ 0 0o40755\n"
            "box/.git/config 6 0o100644\nbox/sub/ 0 0o40755\nbox/sub/.env 6 0o100644\n");
}

TEST_F(ArchiveHandlerTest, AFileThatShrinksBreaksTheBodyOff) {  // reference B64
  tree_.file("box/large", noise(3'000'000, 1), 1'600'000'000);
  for (const std::string query : {"archive=zip", "archive=tar", "archive=tar.gz"}) {
    auto& client = probe(request(query));
    client.run_until_head();
    ASSERT_GT(client.pull_some(10), 0U);
    ASSERT_EQ(::truncate(tree_.at("box/large").c_str(), 1'000'000), 0);
    while (client.pull_some(100'000) > 0) {
    }
    EXPECT_TRUE(client.answer().is_broken) << query;
    EXPECT_LT(client.answer().body.size(), 2'000'000U);
    tree_.file("box/large", noise(3'000'000, 1), 1'600'000'000);
  }
}

TEST_F(ArchiveHandlerTest, AFileThatIsReplacedBreaksTheBodyOff) {
  tree_.file("box/a", noise(3'000'000, 1), 1'600'000'000);
  tree_.file("box/b", "before", 1'600'000'000);
  auto& client = probe(request("archive=tar"));
  client.run_until_head();
  ASSERT_GT(client.pull_some(10), 0U);
  tree_.file("box/new", "after!", 1'600'000'000);
  ASSERT_EQ(::rename(tree_.at("box/new").c_str(), tree_.at("box/b").c_str()), 0);
  while (client.pull_some(100'000) > 0) {
  }
  EXPECT_TRUE(client.answer().is_broken);
  EXPECT_EQ(client.answer().body.find("after!"), std::string::npos);
}

TEST_F(ArchiveHandlerTest, PlacesAreBoundedAndGivenBack) {
  fill();
  make_handler({.most_active = 2});
  std::vector<std::unique_ptr<test::HandlerProbe>> clients;
  for (int i = 0; i < 3; ++i) {
    probe(request("archive=zip")).run_until_head();
    clients.push_back(std::move(probe_));
  }
  EXPECT_EQ(clients[1]->answer().status, 200);
  EXPECT_EQ(clients[2]->answer().status, 503);
  EXPECT_EQ(clients[2]->answer().field("retry-after"), "1");
  clients[0]->leave();
  EXPECT_EQ(get("archive=zip").status, 200);
  EXPECT_EQ(get("archive=zip").status, 200);  // a whole one gives its place back too
  for (auto& client : clients) client->leave();
}

TEST_F(ArchiveHandlerTest, AClientThatLeavesDuringThePlanGivesItsPlaceBack) {
  fill();
  make_handler({.most_active = 1});
  probe(request("archive=zip")).start_and_leave();
  EXPECT_EQ(get("archive=zip").status, 200);
}

TEST_F(ArchiveHandlerTest, TheRootIsNamedArchive) {
  tree_.file("a", "x", 1'600'000'000);
  const auto answer = get(request("archive=tar", "/"));
  EXPECT_EQ(answer.field("content-disposition"), "attachment; filename=\"archive.tar\"");
  EXPECT_EQ(answer.body.substr(0, 9), std::string("archive/\0", 9));
}

TEST_F(ArchiveHandlerTest, RefusesWhatIsNoDirectory) {
  tree_.file("file", "x");
  EXPECT_EQ(get(request("archive=zip", "/gone/")).status, 404);
  EXPECT_EQ(get(request("archive=zip", "/file/")).status, 404);
  EXPECT_EQ(get(request("archive=rar", "/")).status, 400);
}

}  // namespace
}  // namespace servery::archive
