// Where every byte of an uncompressed archive comes from, planned from sizes alone: exact length
// and any range, before a file is opened. Owns the member tree. Pure; one thread at a time.
//
//   zip:  (header content descriptor)*  record*  end
//   tar:  (header content padding)*              end
#pragma once

#include <cstdint>
#include <string>

#include "worker/features/archive/member_tree.h"
#include "worker/features/archive/zip_format.h"

namespace servery::archive {

enum class Container : std::uint8_t { kZip, kTar };

// A run of bytes that is made at once.
struct Segment {
  enum class Kind : std::uint8_t { kHeader, kContent, kTrailer, kRecord, kEnd };
  Kind kind = Kind::kHeader;
  std::uint32_t member = 0;  // not for kEnd
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t end() const { return begin + size; }
};

class ArchiveLayout {
 public:
  ArchiveLayout(Container container, MemberTree tree);

  std::uint64_t size() const { return end_.end(); }
  // The segment that holds the byte at `position`, which is less than size().
  Segment find(std::uint64_t position) const;
  // The next one that is not empty; not after kEnd.
  Segment after(const Segment& segment) const;

  // Whether the segment's text holds the member's checksum.
  bool needs_crc(const Segment& segment) const;
  // The text of any segment but content; the checksum is the node's.
  void append_text(std::string& out, const Segment& segment) const;

  MemberTree& tree() { return tree_; }
  const MemberTree& tree() const { return tree_; }

 private:
  std::uint64_t header_size(const Member& member) const;
  std::uint64_t trailer_size(const Member& member) const;
  Segment segment_of(Segment::Kind kind, std::uint32_t member, std::uint64_t begin) const;
  Segment next(const Segment& segment) const;

  Container container_;
  MemberTree tree_;
  zip::Directory directory_;  // for tar: empty
  Segment end_;
};

}  // namespace servery::archive
