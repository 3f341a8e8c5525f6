#include "worker/features/archive/archive_producer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/base/clock.h"
#include "worker/features/archive/archive_coding.h"

namespace servery::archive {
namespace {

constexpr std::chrono::milliseconds kSlice{20};

}  // namespace

ArchiveProducer::ArchiveProducer(const files::Root& root, const files::RelativePath& path,
                                 CrcCache& crcs, std::shared_ptr<ArchiveLayout> layout,
                                 std::uint64_t first, std::uint64_t end)
    : root_(root),
      path_(path),
      crcs_(crcs),
      layout_(std::move(layout)),
      position_(first),
      end_(end),
      segment_(layout_->find(first)) {}

body::Producer::Outcome ArchiveProducer::produce(std::string& into) {
  const SteadyPoint deadline = std::chrono::steady_clock::now() + kSlice;
  while (into.size() < kPiece && std::chrono::steady_clock::now() < deadline) {
    const std::size_t before = into.size();
    const Step step = make_some(into, deadline);
    if (step == Step::kFailed) return Outcome::kFailed;
    const std::uint64_t left = end_ - position_;
    if (into.size() - before >= left) {
      into.resize(before + static_cast<std::size_t>(left));
      return Outcome::kEnd;
    }
    position_ += into.size() - before;
    if (position_ == segment_.end()) segment_ = layout_->after(segment_);
  }
  return Outcome::kMore;
}

// Bytes from position_ on, of one segment; none while a checksum is being found out.
ArchiveProducer::Step ArchiveProducer::make_some(std::string& into, SteadyPoint deadline) {
  if (segment_.kind == Segment::Kind::kContent) return make_content(into);
  if (layout_->needs_crc(segment_)) {
    const Step step = learn_crc(segment_.member, deadline);
    if (step != Step::kDone) return step;
  }
  scratch_.clear();
  layout_->append_text(scratch_, segment_);
  into.append(scratch_, static_cast<std::size_t>(position_ - segment_.begin));
  return Step::kDone;
}

ArchiveProducer::Step ArchiveProducer::make_content(std::string& into) {
  if (!open_member(segment_.member)) return Step::kFailed;
  const std::uint64_t offset = position_ - segment_.begin;
  const auto size = static_cast<std::size_t>(
      std::min<std::uint64_t>(segment_.size - offset, kPiece - std::min(kPiece - 1, into.size())));
  const std::size_t before = into.size();
  if (!read(into, offset, size)) return Step::kFailed;
  note_content(offset, std::string_view(into).substr(before));
  // Written to while it was read: what was sent may be of two versions.
  if (offset + size == segment_.size && !is_unchanged()) return Step::kFailed;
  return Step::kDone;
}

// Reads what has not been read of the file; kMore when the time is over.
ArchiveProducer::Step ArchiveProducer::learn_crc(std::uint32_t member, SteadyPoint deadline) {
  Node& node = layout_->tree()[member];
  if (node.has_crc) return Step::kDone;
  if (const auto known = crcs_.find(node.identity)) {
    node.crc = *known;
    node.has_crc = true;
    return Step::kDone;
  }
  if (!open_member(member)) return Step::kFailed;
  while (crc_offset_ < node.size()) {
    if (std::chrono::steady_clock::now() >= deadline) return Step::kMore;
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, node.size() - crc_offset_));
    scratch_.clear();
    if (!read(scratch_, crc_offset_, size)) return Step::kFailed;
    note_content(crc_offset_, scratch_);
  }
  return is_unchanged() ? Step::kDone : Step::kFailed;
}

bool ArchiveProducer::open_member(std::uint32_t member) {
  if (member_ == member) return true;
  files::RelativePath path = path_;
  if (!path.enter(layout_->tree().path_below_top(member))) return false;
  opened_at_ = SystemClock().wall();
  files::Resource found = files::acquire_resource(root_, path.c_str(), files::Access::kBlocking);
  if (found.kind != files::Resource::Kind::kFile) return false;
  if (found.identity != layout_->tree()[member].identity) return false;
  file_ = std::move(found.fd);
  member_ = member;
  crc_offset_ = 0;
  crc_ = 0;
  return true;
}

bool ArchiveProducer::is_unchanged() const {
  struct stat st {};
  return ::fstat(file_.get(), &st) == 0 &&
         files::FileIdentity::of(st) == layout_->tree()[*member_].identity;
}

void ArchiveProducer::note_content(std::uint64_t offset, std::string_view bytes) {
  Node& node = layout_->tree()[*member_];
  if (node.has_crc || offset != crc_offset_) return;
  crc_ = update_crc(crc_, bytes);
  crc_offset_ += bytes.size();
  if (crc_offset_ < node.size() || !is_unchanged()) return;
  node.crc = crc_;
  node.has_crc = true;
  if (node.identity.is_settled(opened_at_)) crcs_.keep(node.identity, crc_);
}

// False for an error and for a file that has become shorter.
bool ArchiveProducer::read(std::string& into, std::uint64_t offset, std::size_t size) {
  const std::size_t before = into.size();
  into.resize(before + size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::pread(file_.get(), into.data() + before + done, size - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      into.resize(before);
      return false;
    }
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace servery::archive
