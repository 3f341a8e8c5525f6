// The bytes of a planned archive, or a range of them. A file is opened when its turn comes, by its
// path and the root's rules, and must still be the one that was planned, to its last byte; else the
// body breaks off. Blocks: pool threads only, one call at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/unique_fd.h"
#include "worker/body/produced_source.h"
#include "worker/features/archive/archive_layout.h"
#include "worker/features/archive/crc_cache.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::archive {

class ArchiveProducer final : public body::Producer {
 public:
  // `root` and `crcs` outlive it; `path` names the archived directory below the root. Bytes `first`
  // to `end` (exclusive), not empty. `layout` may serve several producers, one after another: what
  // one learns of checksums stays in it.
  ArchiveProducer(const files::Root& root, const files::RelativePath& path, CrcCache& crcs,
                  std::shared_ptr<ArchiveLayout> layout, std::uint64_t first, std::uint64_t end);

  Outcome produce(std::string& into) override;

 private:
  using SteadyPoint = std::chrono::steady_clock::time_point;
  enum class Step : std::uint8_t { kDone, kMore, kFailed };

  Step make_some(std::string& into, SteadyPoint deadline);
  Step make_content(std::string& into);
  Step learn_crc(std::uint32_t member, SteadyPoint deadline);
  bool open_member(std::uint32_t member);
  bool is_unchanged() const;
  void note_content(std::uint64_t offset, std::string_view bytes);
  bool read(std::string& into, std::uint64_t offset, std::size_t size);

  const files::Root& root_;
  files::RelativePath path_;
  CrcCache& crcs_;
  std::shared_ptr<ArchiveLayout> layout_;
  std::uint64_t position_;
  std::uint64_t end_;
  Segment segment_;
  // The file that is open, and how far its checksum is known.
  std::optional<std::uint32_t> member_;
  UniqueFd file_;
  WallTime opened_at_{};
  std::uint64_t crc_offset_ = 0;
  std::uint32_t crc_ = 0;
  std::string scratch_;
};

}  // namespace servery::archive
