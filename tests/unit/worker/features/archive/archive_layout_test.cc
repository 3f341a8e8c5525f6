#include "worker/features/archive/archive_layout.h"

#include <gtest/gtest.h>

#include "worker/features/archive/tar_format.h"

namespace servery::archive {
namespace {

using Kind = Segment::Kind;

files::FileIdentity of_size(std::uint64_t size) { return {.size = size}; }

MemberTree small_tree() {
  MemberTree tree;
  const auto top = tree.add(0, "top", {.is_directory = true});
  tree.add(top, "empty", {.identity = of_size(0)});
  tree.add(top, "small", {.identity = of_size(100)});
  const auto sub = tree.add(top, "sub", {.is_directory = true});
  tree.add(sub, "large", {.identity = of_size(zip::kSmall + 1)});
  return tree;
}

// Follows the segments from the first to the last.
std::vector<Segment> segments_of(const ArchiveLayout& layout) {
  std::vector<Segment> segments = {layout.find(0)};
  while (segments.back().kind != Kind::kEnd) segments.push_back(layout.after(segments.back()));
  return segments;
}

TEST(MemberTree, PathsBeginAtTheTop) {
  const MemberTree tree = small_tree();
  EXPECT_EQ(tree.path(0), "top/");
  EXPECT_EQ(tree.path(2), "top/small");
  EXPECT_EQ(tree.path(3), "top/sub/");
  EXPECT_EQ(tree.path(4), "top/sub/large");
  EXPECT_EQ(tree.path_below_top(0), "");
  EXPECT_EQ(tree.path_below_top(4), "sub/large");
}

TEST(MemberTree, TimesBeforeTheEpochAreFloored) {
  Node node;
  node.identity.mtime_ns = -1;
  EXPECT_EQ(node.mtime(), -1);
  node.identity.mtime_ns = -2'000'000'000;
  EXPECT_EQ(node.mtime(), -2);
  node.identity.mtime_ns = 1'999'999'999;
  EXPECT_EQ(node.mtime(), 1);
}

TEST(ArchiveLayout, SegmentsCoverEveryByteOnce) {
  for (const Container container : {Container::kZip, Container::kTar}) {
    const ArchiveLayout layout(container, small_tree());
    std::uint64_t at = 0;
    for (const Segment& segment : segments_of(layout)) {
      EXPECT_EQ(segment.begin, at);
      EXPECT_GT(segment.size, 0U);
      at = segment.end();
      std::string text;
      layout.append_text(text, segment);
      if (segment.kind != Kind::kContent) {
        EXPECT_EQ(text.size(), segment.size);
      }
    }
    EXPECT_EQ(at, layout.size());
  }
}

TEST(ArchiveLayout, EveryPositionFindsItsSegment) {
  for (const Container container : {Container::kZip, Container::kTar}) {
    const ArchiveLayout layout(container, small_tree());
    for (const Segment& segment : segments_of(layout)) {
      for (const std::uint64_t position : {segment.begin, segment.end() - 1}) {
        const Segment found = layout.find(position);
        EXPECT_EQ(found.kind, segment.kind);
        EXPECT_EQ(found.begin, segment.begin);
        EXPECT_EQ(found.size, segment.size);
        EXPECT_EQ(found.member, segment.member);
      }
    }
  }
}

TEST(ArchiveLayout, ChecksumsStandBehindLargeMembersOnly) {
  const ArchiveLayout layout(Container::kZip, small_tree());
  for (const Segment& segment : segments_of(layout)) {
    const bool is_small = segment.member == 2;
    const bool is_large = segment.member == 4;
    bool expected = false;
    if (segment.kind == Kind::kHeader) expected = is_small;
    if (segment.kind == Kind::kTrailer) expected = is_large;
    if (segment.kind == Kind::kRecord) expected = is_small || is_large;
    EXPECT_EQ(layout.needs_crc(segment), expected);
  }
}

// The sizes at which zip64 begins; no file of that size is needed to plan it.
TEST(ArchiveLayout, PlansBeyond32Bits) {
  for (const std::uint64_t size : {0xffff'fffeULL, 0xffff'ffffULL, 0x1'0000'0000ULL, 5ULL << 30}) {
    MemberTree tree;
    const auto top = tree.add(0, "top", {.is_directory = true});
    tree.add(top, "a", {.identity = of_size(size)});
    tree.add(top, "b", {.identity = of_size(1)});
    const ArchiveLayout layout(Container::kZip, tree);
    std::uint64_t at = 0;
    for (const Segment& segment : segments_of(layout)) {
      EXPECT_EQ(segment.begin, at);
      at = segment.end();
      std::string text;
      layout.append_text(text, segment);
      if (segment.kind != Kind::kContent) {
        EXPECT_EQ(text.size(), segment.size);
      }
    }
    EXPECT_EQ(at, layout.size());
  }
}

TEST(ArchiveLayout, PlansMoreMembersThan16Bits) {
  MemberTree tree;
  const auto top = tree.add(0, "t", {.is_directory = true});
  for (int i = 0; i < 70'000; ++i) tree.add(top, "f" + std::to_string(i), {});
  const ArchiveLayout layout(Container::kZip, tree);
  std::string text;
  layout.append_text(text, layout.find(layout.size() - 1));
  EXPECT_EQ(text.size(), 56U + 20 + 22);
  EXPECT_EQ(text.substr(24, 8), std::string("\x71\x11\x01\0\0\0\0\0", 8));  // 70,001
}

}  // namespace
}  // namespace servery::archive
