// One archive being planned: walks the tree slice by slice, then lays it out. What comes of it is a
// length, an entity tag and producers for any range. Blocks: pool threads only, one call at a time;
// shared by the archive's task and its jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "worker/body/produced_source.h"
#include "worker/features/archive/archive_layout.h"
#include "worker/features/archive/archive_query.h"
#include "worker/features/archive/archive_walk.h"
#include "worker/features/archive/crc_cache.h"

namespace servery::archive {

class ArchivePlan {
 public:
  enum class Step : std::uint8_t { kMore, kReady, kFailed };

  // `root` outlives the plan. `path` names the directory below it, `name` the download without its
  // extension and the archive's top directory.
  ArchivePlan(const files::Root& root, const files::RelativePath& path, std::string name,
              Query query, bool shows_hidden);

  Step advance();
  Errc error() const { return error_; }

  // When ready.
  const std::string& name() const { return name_; }
  Format format() const { return format_; }
  const std::string& etag() const { return etag_; }
  // Of the whole; nullopt for the compressed formats, which have no ranges either.
  std::optional<std::uint64_t> length() const;
  // Bytes `first` to `end` (exclusive) of the uncompressed archive; all of a compressed one. One
  // producer after another: they share what they learn.
  Result<std::shared_ptr<body::Producer>> make_producer(CrcCache& crcs, std::uint64_t first,
                                                        std::uint64_t end);

 private:
  bool is_compressed() const { return format_ == Format::kTarGz || format_ == Format::kTarZst; }
  void finish();

  const files::Root& root_;
  files::RelativePath path_;
  std::string name_;
  Format format_;
  ArchiveWalk walk_;
  std::shared_ptr<ArchiveLayout> layout_;
  std::string etag_;
  Errc error_ = Errc::kInternal;
};

}  // namespace servery::archive
