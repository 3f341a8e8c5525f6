#include "worker/features/static/sidecar.h"

#include <gtest/gtest.h>

#include "tests/support/temp_tree.h"

namespace servery::features {
namespace {

constexpr std::int64_t kOld = 1'500'000'000;
constexpr std::int64_t kNew = 1'600'000'000;

class Sidecar : public testing::Test {
 protected:
  StaticLookup choose(std::string_view accepted) {
    files::Root root =
        std::move(*files::open_root(tree.open(), files::SymlinkPolicy::kInside, tree.path()));
    files::RelativePath path;
    EXPECT_TRUE(path.assign("a.js", files::HiddenNames::kDeny));
    StaticLookup found = look_up_static(root, path, {}, 1000, files::Access::kBlocking);
    http::RequestFields fields;
    fields.add({http::FieldId::kAcceptEncoding, "accept-encoding", accepted});
    choose_sidecar(found, root, http::preferred_codings(fields), 1000, files::Access::kBlocking);
    EXPECT_EQ(found.kind, StaticLookup::Kind::kFile);
    return found;
  }

  test::TempTree tree;
};

TEST_F(Sidecar, TheBestOneThatIsThere) {
  tree.file("a.js", "plain", kOld);
  tree.file("a.js.br", "br", kOld);
  tree.file("a.js.gz", "gz", kNew);
  const StaticLookup found = choose("gzip, br, zstd");
  EXPECT_EQ(found.coding, http::Coding::kBr);
  EXPECT_EQ(found.content, "br");
  EXPECT_EQ(found.named(), "a.js");
  EXPECT_EQ(found.missing, std::vector<std::string>{"a.js.zst"});
  ASSERT_EQ(found.unchanged.size(), 1U);
  EXPECT_EQ(found.unchanged[0].path, "a.js");
  EXPECT_EQ(choose("gzip").content, "gz");
}

TEST_F(Sidecar, StaleAndEmptyOnesAreRefusedAndWatched) {
  tree.file("a.js", "plain", kNew);
  tree.file("a.js.br", "br", kOld);
  tree.file("a.js.gz", "", kNew);
  const StaticLookup found = choose("gzip, br");
  EXPECT_EQ(found.coding, http::Coding::kIdentity);
  EXPECT_EQ(found.content, "plain");
  ASSERT_EQ(found.unchanged.size(), 2U);
  EXPECT_EQ(found.unchanged[0].path, "a.js.br");
  EXPECT_TRUE(found.may_keep);
}

TEST_F(Sidecar, ZstdNeedsASmallWindow) {  // RFC 9659
  tree.file("a.js", "plain", kOld);
  tree.file("a.js.zst", std::string("\x28\xB5\x2F\xFD\x00\x70", 6), kNew);  // 16 MiB
  EXPECT_EQ(choose("zstd").coding, http::Coding::kIdentity);
  tree.file("a.js.zst", std::string("\x28\xB5\x2F\xFD\x00\x68", 6), kNew);  // 8 MiB
  EXPECT_EQ(choose("zstd").coding, http::Coding::kZstd);
}

TEST_F(Sidecar, ADirectoryIsNone) {
  tree.file("a.js", "plain", kOld);
  tree.file("a.js.gz/x", "x", kOld);
  const StaticLookup found = choose("gzip");
  EXPECT_EQ(found.coding, http::Coding::kIdentity);
  EXPECT_FALSE(found.may_keep);
}

}  // namespace
}  // namespace servery::features
