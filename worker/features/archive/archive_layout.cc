#include "worker/features/archive/archive_layout.h"

#include <algorithm>
#include <utility>

#include "worker/features/archive/tar_format.h"

namespace servery::archive {

using Kind = Segment::Kind;

ArchiveLayout::ArchiveLayout(Container container, MemberTree tree)
    : container_(container), tree_(std::move(tree)) {
  std::uint64_t at = 0;
  std::uint64_t records = 0;
  for (std::uint32_t i = 0; i < tree_.size(); ++i) {
    const std::string path = tree_.path(i);
    const Member member = tree_.member(i, path);
    tree_[i].begin = at;
    if (container_ == Container::kZip) records += zip::record_size(member, at);
    at += header_size(member) + member.size + trailer_size(member);
  }
  directory_ = {.count = tree_.size(), .begin = at, .size = records};
  end_ = {.kind = Kind::kEnd,
          .begin = at + records,
          .size = container_ == Container::kZip ? zip::end_size(directory_) : tar::kEndSize};
}

std::uint64_t ArchiveLayout::header_size(const Member& member) const {
  return container_ == Container::kZip ? zip::header_size(member) : tar::header_size(member);
}

std::uint64_t ArchiveLayout::trailer_size(const Member& member) const {
  return container_ == Container::kZip ? zip::descriptor_size(member) : tar::padding_size(member);
}

Segment ArchiveLayout::segment_of(Kind kind, std::uint32_t i, std::uint64_t begin) const {
  const std::string path = tree_.path(i);
  const Member member = tree_.member(i, path);
  Segment segment{.kind = kind, .member = i, .begin = begin};
  switch (kind) {
    case Kind::kHeader:
      segment.size = header_size(member);
      break;
    case Kind::kContent:
      segment.size = member.size;
      break;
    case Kind::kTrailer:
      segment.size = trailer_size(member);
      break;
    case Kind::kRecord:
      segment.size = zip::record_size(member, tree_[i].begin);
      break;
    case Kind::kEnd:
      break;
  }
  return segment;
}

Segment ArchiveLayout::next(const Segment& segment) const {
  const bool is_last = segment.member + 1 == tree_.size();
  switch (segment.kind) {
    case Kind::kHeader:
      return segment_of(Kind::kContent, segment.member, segment.end());
    case Kind::kContent:
      return segment_of(Kind::kTrailer, segment.member, segment.end());
    case Kind::kTrailer:
      if (!is_last) return segment_of(Kind::kHeader, segment.member + 1, segment.end());
      if (container_ == Container::kTar) return end_;
      return segment_of(Kind::kRecord, 0, segment.end());
    case Kind::kRecord:
      if (!is_last) return segment_of(Kind::kRecord, segment.member + 1, segment.end());
      return end_;
    case Kind::kEnd:
      break;
  }
  return end_;
}

Segment ArchiveLayout::after(const Segment& segment) const {
  Segment found = next(segment);
  while (found.size == 0) found = next(found);
  return found;
}

Segment ArchiveLayout::find(std::uint64_t position) const {
  if (position >= end_.begin) return end_;
  Segment segment;
  if (position >= directory_.begin) {
    segment = segment_of(Kind::kRecord, 0, directory_.begin);
  } else {
    const auto& nodes = tree_.nodes();
    const auto behind = std::upper_bound(
        nodes.begin(), nodes.end(), position,
        [](std::uint64_t wanted, const Node& node) { return wanted < node.begin; });
    const auto i = static_cast<std::uint32_t>(behind - nodes.begin() - 1);
    segment = segment_of(Kind::kHeader, i, nodes[i].begin);
  }
  while (segment.end() <= position) segment = after(segment);
  return segment;
}

bool ArchiveLayout::needs_crc(const Segment& segment) const {
  if (container_ != Container::kZip || segment.kind == Kind::kEnd) return false;
  const Node& node = tree_[segment.member];
  if (node.size() == 0 || segment.kind == Kind::kContent) return false;
  return segment.kind != Kind::kHeader || node.size() <= zip::kSmall;
}

void ArchiveLayout::append_text(std::string& out, const Segment& segment) const {
  if (segment.kind == Kind::kEnd) {
    if (container_ == Container::kZip) return zip::append_end(out, directory_);
    out.append(tar::kEndSize, '\0');
    return;
  }
  const std::string path = tree_.path(segment.member);
  const Member member = tree_.member(segment.member, path);
  const Node& node = tree_[segment.member];
  switch (segment.kind) {
    case Kind::kHeader:
      if (container_ == Container::kZip) return zip::append_header(out, member, node.crc);
      return tar::append_header(out, member);
    case Kind::kTrailer:
      if (container_ == Container::kZip) return zip::append_descriptor(out, member, node.crc);
      out.append(tar::padding_size(member), '\0');
      return;
    case Kind::kRecord:
      return zip::append_record(out, member, node.begin, node.crc);
    case Kind::kContent:
    case Kind::kEnd:
      return;
  }
}

}  // namespace servery::archive
