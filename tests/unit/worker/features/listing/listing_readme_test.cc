#include "worker/features/listing/listing_readme.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "tests/support/temp_tree.h"

namespace servery::listing {
namespace {

constexpr std::string_view kHead = "<section class=r aria-labelledby=readme><h2 id=readme><bdi>";

class ListingReadmeTest : public testing::Test {
 protected:
  std::string section(std::string_view name, std::string_view directory = "",
                      files::SymlinkPolicy symlinks = files::SymlinkPolicy::kInside) {
    const auto root = files::open_root(tree_.open(), symlinks, "test");
    files::RelativePath path;
    EXPECT_TRUE(root && path.assign(directory, files::HiddenNames::kAllow));
    std::string out;
    append_readme(out, *root, path, name);
    return out;
  }
  static std::string section_of(std::string_view name, std::string_view content) {
    std::string out;
    append_readme_text(out, name, content);
    return out;
  }

  test::TempTree tree_;
};

TEST(ListingReadme, MarkdownBeforeTextAndCapitalsFirst) {
  std::vector<std::string> names = {"readme", "Readme.md", "README.txt", "README.markdown",
                                    "ReadMe", "readme.md", "README",     "README.md"};
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return is_better_readme(a, b); });
  EXPECT_EQ(names,
            (std::vector<std::string>{"README.md", "Readme.md", "readme.md", "README.markdown",
                                      "README", "ReadMe", "readme", "README.txt"}));
  EXPECT_TRUE(is_better_readme("README", ""));
  for (const char* name :
       {"README.rst", "README.md.bak", "AREADME.md", ".README.md", "README.mdx"}) {
    EXPECT_FALSE(is_better_readme(name, "")) << name;
  }
}

TEST_F(ListingReadmeTest, MarkdownIsRenderedAndTextIsNot) {
  tree_.file("d/README.md", "*a*");
  tree_.file("d/README", "*a* <b>");
  EXPECT_EQ(section("README.md", "d/"), std::string(kHead) +
                                            "README.md</bdi></h2>\n<div><p><em>a</em></p>\n"
                                            "</div></section>\n");
  EXPECT_EQ(section("README", "d/"),
            std::string(kHead) +
                "README</bdi></h2>\n<div><pre class=y>*a* &lt;b&gt;</pre></div></section>\n");
}

TEST_F(ListingReadmeTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_NE(section_of("README.md",
                       "\xEF\xBB\xBF# a\xFF\x1B\x7F"
                       "b")
                .find("<h3>a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                      "b</h3>"),
            std::string::npos);
  EXPECT_NE(section_of("README", std::string_view("a\0b", 3))
                .find("a\xEF\xBF\xBD"
                      "b"),
            std::string::npos);
  EXPECT_EQ(section_of("README.md", " \n"), "");
}

TEST_F(ListingReadmeTest, WhatCannotBeRenderedIsShownAsText) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "> ";
  EXPECT_NE(section_of("README.md", deep + "*a*").find("&gt; *a*</pre>"), std::string::npos);
}

TEST_F(ListingReadmeTest, AHugeOneIsALink) {
  tree_.file("README.md", std::string(256 * 1024, 'a'));
  EXPECT_NE(section("README.md").find("<p>aaaa"), std::string::npos);
  tree_.file("README.md", std::string(256 * 1024 + 1, 'a'));
  EXPECT_EQ(section("README.md"), std::string(kHead) +
                                      "README.md</bdi></h2>\n<div><p><a href=\"README.md\">"
                                      "README.md</a> is larger than 256 KiB and not shown here."
                                      "</p></div></section>\n");
}

TEST_F(ListingReadmeTest, TheRootsRulesHold) {
  test::TempTree outside;
  outside.file("secret", "s");
  tree_.file("real", "r");
  tree_.link("README.md", outside.at("secret"));
  tree_.link("README.txt", "real");
  ::mkfifo(tree_.at("README").c_str(), 0600);
  EXPECT_EQ(section("README.md"), "");
  EXPECT_NE(section("README.txt"), "");
  EXPECT_EQ(section("README.txt", "", files::SymlinkPolicy::kNone), "");
  EXPECT_EQ(section("README"), "");
  EXPECT_EQ(section("gone.md"), "");
}

}  // namespace
}  // namespace servery::listing
