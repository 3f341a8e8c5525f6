// The only path resolver, by openat2 and by the walk for kernels without it: the same answers.
#include "worker/files/resource.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <utility>
#include <vector>

#include "tests/support/temp_tree.h"

namespace servery::files {
namespace {

using Kind = Resource::Kind;
using test::TempTree;

Root root_of(const TempTree& tree, SymlinkPolicy symlinks, bool has_openat2) {
  Root root = std::move(*open_root(tree.open(), symlinks, tree.path()));
  if (!has_openat2) root.offers = {};
  return root;
}

class Resolve : public testing::TestWithParam<bool> {
 protected:
  Kind kind(const char* path, SymlinkPolicy symlinks = SymlinkPolicy::kInside) {
    const Root root = root_of(tree, symlinks, GetParam());
    return acquire_resource(root, path, Access::kBlocking).kind;
  }
  std::string content(const char* path, SymlinkPolicy symlinks = SymlinkPolicy::kInside) {
    const Root root = root_of(tree, symlinks, GetParam());
    const Resource resource = acquire_resource(root, path, Access::kBlocking);
    std::string text(resource.identity.size, '\0');
    if (resource.kind != Kind::kFile) return "no file";
    if (::pread(resource.fd.get(), text.data(), text.size(), 0) < 0) return "unreadable";
    return text;
  }
  TempTree tree;
};
INSTANTIATE_TEST_SUITE_P(Kernel, Resolve, testing::Bool(), [](const auto& kernel) {
  return kernel.param ? "WithOpenat2" : "BySegments";
});

TEST_P(Resolve, FilesDirectoriesAndNothing) {
  tree.file("a.txt", "A");
  tree.file("dir/b.txt", "B");
  EXPECT_EQ(content("a.txt"), "A");
  EXPECT_EQ(content("dir/b.txt"), "B");
  EXPECT_EQ(content("dir//b.txt"), "B");
  EXPECT_EQ(kind("dir"), Kind::kDirectory);
  EXPECT_EQ(kind("dir/"), Kind::kDirectory);
  EXPECT_EQ(kind("."), Kind::kDirectory);
  EXPECT_EQ(kind("c.txt"), Kind::kMissing);
  EXPECT_EQ(kind("a.txt/"), Kind::kMissing);
  EXPECT_EQ(kind("a.txt/x"), Kind::kMissing);
  EXPECT_EQ(kind(std::string(300, 'x').c_str()), Kind::kMissing);
}

TEST_P(Resolve, IdentityIsTheOpenedFiles) {
  tree.file("a.txt", "12345");
  const Root root = root_of(tree, SymlinkPolicy::kInside, GetParam());
  const Resource resource = acquire_resource(root, "a.txt", Access::kBlocking);
  struct stat st {};
  ASSERT_EQ(::stat(tree.at("a.txt").c_str(), &st), 0);
  EXPECT_EQ(resource.identity, FileIdentity::of(st));
  EXPECT_EQ(resource.identity.size, 5U);
}

TEST_P(Resolve, LinksInsideAreFollowedThoseOutsideAreMissing) {
  TempTree outside;
  outside.file("secret.txt", "S");
  tree.file("dir/b.txt", "B");
  tree.link("inside", "dir/b.txt");
  tree.link("dir/up", "../dir/b.txt");
  tree.link("dirlink", "dir");
  tree.link("absolute", outside.at("secret.txt"));
  tree.link("climbing",
            "../" + outside.path().substr(outside.path().rfind('/') + 1) + "/secret.txt");
  tree.link("dangling", "nowhere");
  tree.link("loop", "loop");
  EXPECT_EQ(content("inside"), "B");
  EXPECT_EQ(content("dir/up"), "B");
  EXPECT_EQ(content("dirlink/b.txt"), "B");
  EXPECT_EQ(kind("dirlink"), Kind::kDirectory);
  EXPECT_EQ(kind("dirlink/"), Kind::kDirectory);
  for (const char* name : {"absolute", "climbing", "dangling", "loop"}) {
    EXPECT_EQ(kind(name), Kind::kMissing) << name;
  }
}

TEST_P(Resolve, LinksThatNameTheRootAreInside) {
  tree.file("dir/b.txt", "B");
  tree.file("deep/er/c.txt", "C");
  const std::string own = tree.path().substr(tree.path().rfind('/') + 1);
  const std::vector<std::pair<std::string, std::string>> links = {
      {"absolute", tree.at("dir/b.txt")},
      {"slashes", "/" + tree.path() + "//dir/./b.txt"},
      {"detour", tree.path() + "/../" + own + "/dir/b.txt"},
      {"climbing", "../" + own + "/dir/b.txt"},
      {"deep/er/climbing", "../../../" + own + "/dir/b.txt"},
      {"farther", std::string("../../../../../..") + tree.at("dir/b.txt")},
      {"chain", tree.at("absolute")}};
  for (const auto& [name, target] : links) {
    tree.link(name, target);
    EXPECT_EQ(content(name.c_str()), "B") << name << " -> " << target;
    EXPECT_EQ(kind(name.c_str(), SymlinkPolicy::kNone), Kind::kMissing) << name;
  }
  tree.link("dirlink", tree.at("dir"));
  tree.link("self", tree.path());
  EXPECT_EQ(content("dirlink/b.txt"), "B");
  EXPECT_EQ(kind("dirlink"), Kind::kDirectory);
  EXPECT_EQ(content("self/dirlink/b.txt"), "B");
  EXPECT_EQ(kind("self/"), Kind::kDirectory);
}

TEST_P(Resolve, LinksThatAlmostNameTheRootAreOutside) {
  TempTree outside;
  outside.file("dir/b.txt", "S");
  tree.file("dir/b.txt", "B");
  const std::string other = outside.path().substr(outside.path().rfind('/') + 1);
  tree.link("sibling", tree.path() + "x/dir/b.txt");
  tree.link("away", "../" + other + "/dir/b.txt");
  tree.link("through", outside.path() + "/../" + tree.path().substr(1) + "/dir/b.txt");
  tree.link("above", "..");
  tree.link("top", "/");
  tree.link("detour", tree.path() + "/../" + other + "/dir/b.txt");
  tree.link("loop", tree.at("loop"));
  for (const char* name : {"sibling", "away", "through", "above", "above/dir", "top", "detour",
                           "top/etc/passwd", "loop"}) {
    EXPECT_EQ(kind(name), Kind::kMissing) << name;
  }
}

TEST_P(Resolve, ARootReachedByALinkIsNamedByBothNames) {
  TempTree real;
  real.file("b.txt", "B");
  const std::string name = tree.at("root");
  tree.link("root", real.path());
  real.link("by_name", name + "/b.txt");
  real.link("by_place", real.at("b.txt"));
  UniqueFd directory(::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Root root = std::move(*open_root(std::move(directory), SymlinkPolicy::kInside, name));
  if (!GetParam()) root.offers = {};
  for (const char* link : {"by_name", "by_place"}) {
    EXPECT_EQ(acquire_resource(root, link, Access::kBlocking).kind, Kind::kFile) << link;
  }
}

TEST_P(Resolve, LinksCanBeRefusedOrFollowedAnywhere) {
  TempTree outside;
  outside.file("far.txt", "F");
  tree.file("dir/b.txt", "B");
  tree.link("inside", "dir/b.txt");
  tree.link("dirlink", "dir");
  tree.link("absolute", outside.at("far.txt"));
  EXPECT_EQ(kind("inside", SymlinkPolicy::kNone), Kind::kMissing);
  EXPECT_EQ(kind("dirlink/b.txt", SymlinkPolicy::kNone), Kind::kMissing);
  EXPECT_EQ(content("dir/b.txt", SymlinkPolicy::kNone), "B");
  EXPECT_EQ(content("absolute", SymlinkPolicy::kAll), "F");
}

TEST_P(Resolve, ManyLinksInARowEnd) {
  tree.file("f", "x");
  tree.link("l0", "f");
  for (int i = 1; i <= 60; ++i) {
    tree.link("l" + std::to_string(i), "l" + std::to_string(i - 1));
  }
  EXPECT_EQ(content("l20"), "x");
  EXPECT_EQ(kind("l60"), Kind::kMissing);
}

TEST_P(Resolve, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(tree.at("fifo").c_str(), 0644), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(tree.at("socket").size(), sizeof address.sun_path);
  tree.at("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  tree.link("device", "/dev/null");
  for (const auto& [name, symlinks] :
       {std::pair("fifo", SymlinkPolicy::kInside), std::pair("socket", SymlinkPolicy::kInside),
        std::pair("device", SymlinkPolicy::kAll)}) {
    const Root root = root_of(tree, symlinks, GetParam());
    const Resource resource = acquire_resource(root, name, Access::kBlocking);
    EXPECT_EQ(resource.kind, Kind::kFailed) << name;
    EXPECT_EQ(resource.error, Errc::kForbidden) << name;
  }
}

TEST_P(Resolve, MagicLinksLeadNowhere) {
  UniqueFd proc(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Root root = std::move(*open_root(std::move(proc), SymlinkPolicy::kInside, "proc"));
  if (!GetParam()) root.offers = {};
  EXPECT_EQ(acquire_resource(root, "exe", Access::kBlocking).kind, Kind::kMissing);
}

TEST(Root, MustBeReadable) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  TempTree tree;
  ASSERT_EQ(::chmod(tree.path().c_str(), 0), 0);
  EXPECT_FALSE(open_root(tree.open(), SymlinkPolicy::kInside, "it"));
  ::chmod(tree.path().c_str(), 0700);
}

TEST(Root, AFileIsNone) {
  TempTree tree;
  tree.file("f");
  UniqueFd file(::open(tree.at("f").c_str(), O_PATH | O_CLOEXEC));
  const auto root = open_root(std::move(file), SymlinkPolicy::kInside, "/srv/f");
  ASSERT_FALSE(root);
  EXPECT_NE(root.error().text.find("/srv/f"), std::string::npos);
}

class Inline : public testing::Test {
 protected:
  Inline() : root(root_of(tree, SymlinkPolicy::kInside, true)) {}
  FileIdentity identity(const char* path) {
    return acquire_resource(root, path, Access::kBlocking).identity;
  }
  TempTree tree;
  Root root;
};

TEST_F(Inline, WithoutTheKernelCallEverythingGoesToThePool) {
  tree.file("a", "x");
  root.offers = {};
  EXPECT_EQ(acquire_resource(root, "a", Access::kInline).kind, Kind::kWouldBlock);
  EXPECT_EQ(prove_file(root, "a", identity("a")), Proof::kWouldBlock);
  EXPECT_EQ(prove_missing(root, "b"), Proof::kWouldBlock);
}

TEST_F(Inline, ProofHoldsUntilAnythingChanges) {
  if (!root.offers.cached) GTEST_SKIP() << "no RESOLVE_CACHED in this kernel";
  tree.file("a", "x");
  const FileIdentity before = identity("a");
  EXPECT_EQ(prove_file(root, "a", before), Proof::kSame);
  tree.file("b", "y");
  std::filesystem::rename(tree.at("b"), tree.at("a"));
  EXPECT_EQ(prove_file(root, "a", before), Proof::kChanged);
  std::filesystem::remove(tree.at("a"));
  EXPECT_EQ(prove_file(root, "a", before), Proof::kChanged);
}

TEST_F(Inline, ProofSeesContainmentThatStatCannot) {
  if (!root.offers.cached) GTEST_SKIP() << "no RESOLVE_CACHED in this kernel";
  TempTree outside;
  tree.file("dir/a", "x");
  const FileIdentity before = identity("dir/a");
  ASSERT_EQ(prove_file(root, "dir/a", before), Proof::kSame);
  // Moved out of the root and replaced by a link: every stat field of the file is the same.
  std::filesystem::rename(tree.at("dir"), outside.at("dir"));
  tree.link("dir", outside.at("dir"));
  struct stat st {};
  ASSERT_EQ(::stat(tree.at("dir/a").c_str(), &st), 0);
  ASSERT_EQ(FileIdentity::of(st), before);
  // No proof: where the link leads is for the walk to say, which finds that it leads out.
  EXPECT_EQ(prove_file(root, "dir/a", before), Proof::kWouldBlock);
  EXPECT_EQ(acquire_resource(root, "dir/a", Access::kInline).kind, Kind::kWouldBlock);
  EXPECT_EQ(acquire_resource(root, "dir/a", Access::kBlocking).kind, Kind::kMissing);
}

TEST_F(Inline, MissingIsProvedToo) {
  if (!root.offers.cached) GTEST_SKIP() << "no RESOLVE_CACHED in this kernel";
  EXPECT_EQ(acquire_resource(root, "index.html", Access::kBlocking).kind, Kind::kMissing);
  EXPECT_EQ(prove_missing(root, "index.html"), Proof::kSame);
  tree.file("index.html");
  EXPECT_EQ(prove_missing(root, "index.html"), Proof::kChanged);
}

TEST(Settled, OnlyWhenALaterWriteMustShow) {
  FileIdentity file;
  file.ctime_ns = 1'000'000'000'000;
  const auto at = [](std::int64_t ns) { return WallTime(std::chrono::nanoseconds(ns)); };
  EXPECT_FALSE(file.is_settled(at(file.ctime_ns)));
  EXPECT_FALSE(file.is_settled(at(file.ctime_ns + 20'000'000)));
  EXPECT_TRUE(file.is_settled(at(file.ctime_ns + 20'000'001)));
  EXPECT_FALSE(file.is_settled(at(file.ctime_ns - 5'000'000'000)));  // a clock ahead of ours
}

}  // namespace
}  // namespace servery::files
