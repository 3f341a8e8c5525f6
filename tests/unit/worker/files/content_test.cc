#include "worker/files/content.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/support/temp_tree.h"

namespace servery::files {
namespace {

class Content : public testing::Test {
 protected:
  void open(std::string_view content) {
    tree.file("f", content);
    fd.reset(::open(tree.at("f").c_str(), O_RDONLY | O_CLOEXEC));
    struct stat st {};
    ASSERT_EQ(::fstat(fd.get(), &st), 0);
    identity = FileIdentity::of(st);
  }
  test::TempTree tree;
  UniqueFd fd;
  FileIdentity identity;
  std::string text;
};

TEST_F(Content, IsReadWhole) {
  open("hello");
  EXPECT_EQ(read_content(fd.get(), identity, Access::kBlocking, text), ReadOutcome::kComplete);
  EXPECT_EQ(text, "hello");
}

TEST_F(Content, OfAnEmptyFileIsEmpty) {
  open("");
  EXPECT_EQ(read_content(fd.get(), identity, Access::kInline, text), ReadOutcome::kComplete);
  EXPECT_EQ(text, "");
}

TEST_F(Content, OfATruncatedFileIsNone) {
  open("hello");
  ASSERT_EQ(::truncate(tree.at("f").c_str(), 2), 0);
  EXPECT_EQ(read_content(fd.get(), identity, Access::kBlocking, text), ReadOutcome::kChanged);
}

TEST_F(Content, OfAFileWrittenToSinceIsNotTrusted) {
  open("hello");
  identity.mtime_ns -= 1;  // as if it had been looked at before the write
  EXPECT_EQ(read_content(fd.get(), identity, Access::kBlocking, text), ReadOutcome::kChanged);
}

TEST_F(Content, InlineIsCompleteOrLeftToThePool) {
  open(std::string(100'000, 'x'));
  const ReadOutcome outcome = read_content(fd.get(), identity, Access::kInline, text);
  if (outcome == ReadOutcome::kComplete) {
    EXPECT_EQ(text, std::string(100'000, 'x'));
  } else {
    EXPECT_EQ(outcome, ReadOutcome::kWouldBlock);
  }
}

}  // namespace
}  // namespace servery::files
