#include "worker/features/archive/archive_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "common/base/clock.h"

namespace servery::archive {
namespace {

constexpr std::chrono::milliseconds kWalkSlice{10};
constexpr unsigned kStepsPerLook = 64;  // at the clock
constexpr std::size_t kMostNameBytes = std::size_t{32} * 1024 * 1024;

}  // namespace

ArchiveWalk::ArchiveWalk(const files::Root& root, const files::RelativePath& path,
                         std::string top_name, WalkOptions options)
    : root_(root),
      path_(path),
      top_size_(path.size()),
      top_name_(std::move(top_name)),
      options_(std::move(options)),
      started_(SystemClock().wall()) {}

Result<bool> ArchiveWalk::walk_slice() {
  const auto end = std::chrono::steady_clock::now() + kWalkSlice;
  for (unsigned count = 1; phase_ != Phase::kDone; ++count) {
    SERVERY_TRY(step());
    if (count % kStepsPerLook == 0 && std::chrono::steady_clock::now() >= end) return false;
  }
  return true;
}

Status ArchiveWalk::step() {
  switch (phase_) {
    case Phase::kOpening:
      return tree_.size() == 0 ? open_top() : open_next();
    case Phase::kReading:
      return read_name();
    case Phase::kLooking:
      return look_at_next_name();
    case Phase::kDone:
      break;
  }
  return {};
}

Status ArchiveWalk::open_top() {
  const bool is_open = SERVERY_TRY(open(MemberTree::kTop, top_name_));
  if (!is_open) return fail(Errc::kNotFound);
  if (options_.entries.empty()) return {};
  names_ = std::move(options_.entries);
  is_chosen_ = true;
  phase_ = Phase::kLooking;
  return {};
}

Status ArchiveWalk::open_next() {
  if (waiting_.empty()) {
    phase_ = Phase::kDone;
    return {};
  }
  const Found found = std::move(waiting_.back());
  waiting_.pop_back();
  path_.truncate(top_size_);
  std::string below = tree_.path_below_top(found.parent) + found.name;
  if (path_.enter(below)) SERVERY_TRY(open(found.parent, found.name));
  return {};
}

// `path_` is the directory's. False for one that is gone or may not be read.
Result<bool> ArchiveWalk::open(std::uint32_t parent, std::string_view name) {
  files::Resource found = files::acquire_directory(root_, path_.c_str(), files::Access::kBlocking);
  if (found.kind == files::Resource::Kind::kFailed && found.error != Errc::kForbidden) {
    return fail(found.error);
  }
  if (found.kind != files::Resource::Kind::kDirectory) return false;
  directory_.reset(::fdopendir(found.fd.get()));
  if (!directory_) return fail_errno("fdopendir", errno);
  std::ignore = found.fd.release();  // the stream's now
  node_ = tree_.add(parent, name, {.identity = found.identity, .is_directory = true});
  phase_ = Phase::kReading;
  return true;
}

Status ArchiveWalk::read_name() {
  errno = 0;
  const dirent* child = ::readdir(directory_.get());
  if (child == nullptr) {
    if (errno != 0) return fail_errno("readdir", errno);
    std::sort(names_.begin(), names_.end());
    phase_ = Phase::kLooking;
    return {};
  }
  const std::string_view name = child->d_name;
  if (name == "." || name == ".." || (name.front() == '.' && !options_.shows_hidden)) return {};
  if (tree_.size() + waiting_.size() + names_.size() >= options_.most_members) {
    return fail(Errc::kTooLarge);
  }
  names_.emplace_back(name);
  return {};
}

Status ArchiveWalk::look_at_next_name() {
  if (next_name_ == names_.size()) {
    leave_directory();
    return {};
  }
  const bool is_member = SERVERY_TRY(look_at(names_[next_name_++]));
  if (is_chosen_ && !is_member) return fail(Errc::kNotFound);
  return {};
}

// False for what is left out.
Result<bool> ArchiveWalk::look_at(const std::string& name) {
  const int directory = ::dirfd(directory_.get());
  struct stat st {};
  if (::fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISDIR(st.st_mode)) {
    children_.push_back(name);
    return true;
  }
  files::FileIdentity identity = files::FileIdentity::of(st);
  if (S_ISLNK(st.st_mode)) {
    const std::size_t size = path_.size();
    if (!path_.enter(name)) return false;
    const files::Resource target = files::look_at(root_, path_.c_str(), files::Access::kBlocking);
    path_.truncate(size);
    if (target.kind != files::Resource::Kind::kFile) return false;
    identity = target.identity;
  } else if (!S_ISREG(st.st_mode)) {
    return false;
  }
  if (::faccessat(directory, name.c_str(), R_OK, 0) != 0) return false;
  return add_file(name, identity, (st.st_mode & S_IXUSR) != 0 && !S_ISLNK(st.st_mode));
}

Result<bool> ArchiveWalk::add_file(const std::string& name, const files::FileIdentity& identity,
                                   bool is_executable) {
  if (tree_.size() >= options_.most_members || tree_.name_bytes() >= kMostNameBytes) {
    return fail(Errc::kTooLarge);
  }
  if (!identity.is_settled(started_)) is_settled_ = false;
  tree_.add(node_, name, {.identity = identity, .is_executable = is_executable});
  return true;
}

// Its files have been added; its directories follow, the first one next.
void ArchiveWalk::leave_directory() {
  for (auto child = children_.rbegin(); child != children_.rend(); ++child) {
    waiting_.push_back({node_, std::move(*child)});
  }
  children_.clear();
  names_.clear();
  next_name_ = 0;
  is_chosen_ = false;
  directory_.reset();
  phase_ = Phase::kOpening;
}

}  // namespace servery::archive
