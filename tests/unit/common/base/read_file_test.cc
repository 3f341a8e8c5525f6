#include "common/base/read_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_tree.h"

namespace servery {
namespace {

TEST(ReadFile, AllOfItOrWhyNot) {
  const test::TempTree tree;
  tree.file("a", std::string("x\0y", 3));
  EXPECT_EQ(*read_regular_file(tree.at("a"), 3), std::string("x\0y", 3));
  EXPECT_EQ(read_regular_file(tree.at("a"), 2).error().code, Errc::kTooLarge);
  EXPECT_EQ(read_regular_file(tree.at("none"), 9).error().code, Errc::kNotFound);
  EXPECT_EQ(read_regular_file(tree.path(), 9).error().code, Errc::kInvalid);
  ASSERT_EQ(::mkfifo(tree.at("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_regular_file(tree.at("fifo"), 9).error().code, Errc::kInvalid) << "does not hang";
}

}  // namespace
}  // namespace servery
