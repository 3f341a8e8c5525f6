#include "worker/features/archive/archive_plan.h"

#include <utility>

#include "common/base/content_hash.h"
#include "worker/features/archive/archive_coding.h"
#include "worker/features/archive/archive_producer.h"

namespace servery::archive {
namespace {

// Over everything that decides the bytes.
std::string make_etag(const MemberTree& tree, Format format, bool is_settled) {
  ContentHash hash;
  hash.add_number(static_cast<std::uint64_t>(format));
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const Node& node = tree[i];
    hash.add_number(std::uint64_t{node.parent} << 32 | node.name_size);
    hash.add(tree.name(i));
    hash.add_number((node.is_directory ? 1U : 0U) | (node.is_executable ? 2U : 0U));
    hash.add_number(node.identity.device);
    hash.add_number(node.identity.inode);
    hash.add_number(node.identity.size);
    hash.add_number(static_cast<std::uint64_t>(node.identity.mtime_ns));
    hash.add_number(static_cast<std::uint64_t>(node.identity.ctime_ns));
  }
  return (is_settled ? "\"" : "W/\"") + hash.finish() + '"';
}

}  // namespace

ArchivePlan::ArchivePlan(const files::Root& root, const files::RelativePath& path, std::string name,
                         Query query, bool shows_hidden)
    : root_(root),
      path_(path),
      name_(std::move(name)),
      format_(query.format),
      walk_(root, path, name_,
            {.shows_hidden = shows_hidden, .entries = std::move(query.entries)}) {}

ArchivePlan::Step ArchivePlan::advance() {
  const Result<bool> is_complete = walk_.walk_slice();
  if (!is_complete) {
    error_ = is_complete.error().code;
    return Step::kFailed;
  }
  if (!*is_complete) return Step::kMore;
  finish();
  return Step::kReady;
}

void ArchivePlan::finish() {
  etag_ = make_etag(walk_.tree(), format_, walk_.is_settled());
  layout_ = std::make_shared<ArchiveLayout>(
      format_ == Format::kZip ? Container::kZip : Container::kTar, std::move(walk_.tree()));
}

std::optional<std::uint64_t> ArchivePlan::length() const {
  return is_compressed() ? std::nullopt : std::optional(layout_->size());
}

Result<std::shared_ptr<body::Producer>> ArchivePlan::make_producer(CrcCache& crcs,
                                                                   std::uint64_t first,
                                                                   std::uint64_t end) {
  if (is_compressed()) {
    first = 0;
    end = layout_->size();
  }
  auto plain = std::make_unique<ArchiveProducer>(root_, path_, crcs, layout_, first, end);
  if (format_ == Format::kTarGz) return SERVERY_TRY(make_gzip(std::move(plain)));
  if (format_ == Format::kTarZst) return SERVERY_TRY(make_zstd(std::move(plain)));
  return plain;
}

}  // namespace servery::archive
