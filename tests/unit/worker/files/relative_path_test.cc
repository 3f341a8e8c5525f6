#include "worker/files/relative_path.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::files {
namespace {

using namespace std::literals;

TEST(RelativePath, TakesTheNameBelowTheRoot) {
  RelativePath path;
  ASSERT_TRUE(path.assign("/a/b.txt", HiddenNames::kDeny));
  EXPECT_STREQ(path.c_str(), "a/b.txt");
  EXPECT_FALSE(path.names_directory());
  ASSERT_TRUE(path.assign("//a//b/", HiddenNames::kDeny));
  EXPECT_STREQ(path.c_str(), "a//b/");
  EXPECT_TRUE(path.names_directory());
}

TEST(RelativePath, TheRootIsADot) {
  for (const auto text : {""sv, "/"sv, "///"sv}) {
    RelativePath path;
    ASSERT_TRUE(path.assign(text, HiddenNames::kDeny));
    EXPECT_STREQ(path.c_str(), ".");
    EXPECT_EQ(path.view(), "");
    EXPECT_TRUE(path.names_directory());
  }
}

TEST(RelativePath, EntersAndLeavesADirectory) {
  RelativePath path;
  ASSERT_TRUE(path.assign("/dir", HiddenNames::kDeny));
  ASSERT_TRUE(path.enter("index.html"));
  EXPECT_STREQ(path.c_str(), "dir/index.html");
  path.truncate(3);
  EXPECT_STREQ(path.c_str(), "dir");
  path.truncate(0);
  EXPECT_STREQ(path.c_str(), ".");
  ASSERT_TRUE(path.enter("x"));
  EXPECT_STREQ(path.c_str(), "x");
}

TEST(RelativePath, RefusesWhatCanNameNothing) {
  RelativePath path;
  EXPECT_FALSE(path.assign("/a\0b"sv, HiddenNames::kAllow));
  EXPECT_FALSE(path.assign("/..", HiddenNames::kAllow));
  EXPECT_FALSE(path.assign("/a/../b", HiddenNames::kAllow));
  EXPECT_FALSE(path.assign("/" + std::string(256, 'x'), HiddenNames::kAllow));
  EXPECT_TRUE(path.assign("/" + std::string(255, 'x'), HiddenNames::kAllow));
  std::string deep;
  for (int i = 0; i < 2048; ++i) deep += "/d";
  EXPECT_FALSE(path.assign(deep, HiddenNames::kAllow));
}

TEST(RelativePath, ANameThatDoesNotFitIsNotEntered) {
  RelativePath path;
  std::string long_path;
  for (int i = 0; i < 15; ++i) long_path += "/" + std::string(255, 'x');
  long_path += "/" + std::string(250, 'x');
  ASSERT_TRUE(path.assign(long_path, HiddenNames::kDeny));
  const std::string before(path.view());
  EXPECT_FALSE(path.enter("index.html"));
  EXPECT_TRUE(path.view() == before);  // not printed: 4 KiB
}

TEST(RelativePath, HiddenNamesAreMissingUnlessAllowed) {
  RelativePath path;
  for (const auto text : {"/.git/config"sv, "/a/.env"sv, "/.hidden"sv, "/."sv}) {
    EXPECT_FALSE(path.assign(text, HiddenNames::kDeny)) << text;
  }
  EXPECT_TRUE(path.assign("/.git/config", HiddenNames::kAllow));
  EXPECT_TRUE(path.assign("/.well-known/security.txt", HiddenNames::kDeny));  // RFC 8615
  EXPECT_FALSE(path.assign("/.well-known/.x", HiddenNames::kDeny));
  EXPECT_FALSE(path.assign("/.well-knownx/y", HiddenNames::kDeny));
  EXPECT_TRUE(path.assign("/a.b/c.", HiddenNames::kDeny));
}

}  // namespace
}  // namespace servery::files
