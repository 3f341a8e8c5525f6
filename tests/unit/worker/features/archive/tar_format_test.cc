#include "worker/features/archive/tar_format.h"

#include <gtest/gtest.h>

namespace servery::archive::tar {
namespace {

std::string header(const Member& member) {
  std::string out;
  append_header(out, member);
  EXPECT_EQ(out.size(), header_size(member));
  EXPECT_EQ(out.size() % kBlock, 0U);
  return out;
}

TEST(TarFormat, APlainMemberIsOneBlock) {
  const std::string block = header({.path = "top/a.txt", .size = 7, .mtime = 1'700'000'000});
  ASSERT_EQ(block.size(), kBlock);
  EXPECT_STREQ(block.c_str(), "top/a.txt");
  EXPECT_STREQ(block.c_str() + 100, "0000644");
  EXPECT_STREQ(block.c_str() + 124, "00000000007");
  EXPECT_STREQ(block.c_str() + 136, "14524770400");
  EXPECT_EQ(block[156], '0');
  EXPECT_EQ(block.substr(257, 8), std::string("ustar\0"
                                              "00",
                                              8));
}

TEST(TarFormat, TheChecksumIsTheSumWithBlanks) {
  std::string block = header({.path = "a"});
  const std::string stated = block.substr(148, 8);
  block.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  EXPECT_EQ(std::stoul(stated, nullptr, 8), sum);
  EXPECT_EQ(stated[6], '\0');
  EXPECT_EQ(stated[7], ' ');
}

TEST(TarFormat, LongPathsAreSplitWhereTheyCanBe) {
  const std::string path = std::string(150, 'd') + "/" + std::string(100, 'n');
  const std::string block = header({.path = path});
  ASSERT_EQ(block.size(), kBlock);
  EXPECT_EQ(block.substr(0, 100), std::string(100, 'n'));
  EXPECT_STREQ(block.substr(345, 155).c_str(), std::string(150, 'd').c_str());
}

TEST(TarFormat, WhatDoesNotFitIsExtended) {
  for (const std::string& path : {std::string(101, 'n'), std::string(156, 'd') + "/a",
                                  std::string(99, 'd') + "d/", std::string("\xc3\xa4")}) {
    const std::string text = header({.path = path});
    const bool fits = path.size() <= 100 && path[0] != '\xc3';
    EXPECT_EQ(text.size(), fits ? kBlock : 3 * kBlock) << path;
    if (!fits) {
      EXPECT_NE(text.find(" path=" + path + "\n"), std::string::npos);
    }
  }
  const std::string binary = header({.path = "\xff"});
  EXPECT_NE(binary.find("21 hdrcharset=BINARY\n"), std::string::npos);
  EXPECT_NE(header({.path = "a", .size = 1ULL << 33}).find("19 size=8589934592\n"),
            std::string::npos);
  EXPECT_NE(header({.path = "a", .mtime = -1}).find("12 mtime=-1\n"), std::string::npos);
}

TEST(TarFormat, ContentIsPaddedToBlocks) {
  EXPECT_EQ(padding_size({.size = 0}), 0U);
  EXPECT_EQ(padding_size({.size = 1}), 511U);
  EXPECT_EQ(padding_size({.size = 512}), 0U);
  EXPECT_EQ(padding_size({.size = 513}), 511U);
}

}  // namespace
}  // namespace servery::archive::tar
