#include "common/credentials/password_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/base/read_file.h"
#include "tests/support/temp_tree.h"

namespace servery {
namespace {

class PasswordFileTest : public testing::Test {
 protected:
  std::string text() const { return *read_regular_file(tree.at("u"), 1000); }
  mode_t mode() const {
    struct stat status {};
    EXPECT_EQ(::stat(tree.at("u").c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  test::TempTree tree;
};

TEST_F(PasswordFileTest, IsMadeForItsOwnerAlone) {
  ASSERT_TRUE(set_user(tree.at("u"), "alice", "h1"));
  EXPECT_EQ(text(), "alice:h1\n");
  EXPECT_EQ(mode(), 0600U);
}

TEST_F(PasswordFileTest, KeepsModeAndOtherLines) {
  tree.file("u", "# c\nbob:h\n");
  ASSERT_EQ(::chmod(tree.at("u").c_str(), 0640), 0);
  ASSERT_TRUE(set_user(tree.at("u"), "alice", "h1"));
  EXPECT_EQ(text(), "# c\nbob:h\nalice:h1\n");
  EXPECT_EQ(mode(), 0640U);
  ASSERT_TRUE(remove_user(tree.at("u"), "bob"));
  EXPECT_EQ(text(), "# c\nalice:h1\n");
}

TEST_F(PasswordFileTest, ReplacesWhatALinkLeadsTo) {
  tree.file("u", "bob:h\n");
  tree.link("l", "u");
  ASSERT_TRUE(set_user(tree.at("l"), "bob", "h2"));
  EXPECT_EQ(text(), "bob:h2\n");
  EXPECT_TRUE(std::filesystem::is_symlink(tree.at("l")));
}

TEST_F(PasswordFileTest, SaysWhatIsNotThere) {
  EXPECT_EQ(remove_user(tree.at("u"), "bob").error().code, Errc::kNotFound);
  tree.file("u", "bob:h\n");
  EXPECT_EQ(remove_user(tree.at("u"), "alice").error().code, Errc::kNotFound);
  EXPECT_FALSE(set_user(tree.at("none/u"), "alice", "h"));
  EXPECT_FALSE(set_user(tree.path(), "alice", "h")) << "a directory";
  EXPECT_EQ(text(), "bob:h\n");
}

}  // namespace
}  // namespace servery
