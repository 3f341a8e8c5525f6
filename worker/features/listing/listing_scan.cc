#include "worker/features/listing/listing_scan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "common/base/text.h"
#include "worker/features/listing/listing_readme.h"

namespace servery::listing {
namespace {

constexpr std::chrono::milliseconds kScanSlice{10};
constexpr unsigned kNamesPerLook = 64;  // at the clock
constexpr std::int64_t kNanoseconds = 1'000'000'000;

bool contains_ignore_case(std::string_view text, const std::string& lowercase) {
  const auto found = std::search(text.begin(), text.end(), lowercase.begin(), lowercase.end(),
                                 [](char a, char b) { return ascii_lower(a) == b; });
  return found != text.end() || lowercase.empty();
}

void set_facts(Entry& entry, std::uint64_t size, std::int64_t mtime) {
  entry.has_facts = true;
  entry.size = entry.kind == EntryKind::kFile ? size : 0;
  entry.mtime = mtime;
}

}  // namespace

Result<ListingScan> ListingScan::create(const files::Root& root, const files::RelativePath& path,
                                        bool shows_hidden) {
  files::Resource found = files::acquire_directory(root, path.c_str(), files::Access::kBlocking);
  if (found.kind == files::Resource::Kind::kMissing) return fail(Errc::kNotFound);
  if (found.kind != files::Resource::Kind::kDirectory) return fail(found.error);
  Directory directory(::fdopendir(found.fd.get()));
  if (!directory) return fail_errno("fdopendir", errno);
  std::ignore = found.fd.release();  // the stream's now
  return ListingScan(root, path, shows_hidden, std::move(directory));
}

void ListingScan::begin(const Query& query, const std::optional<Cursor>& cursor,
                        std::size_t limit) {
  if (selector_) ::rewinddir(directory_.get());
  needs_facts_ = query.order.sort != Sort::kName;
  filter_ = to_lower(query.filter);
  selector_.emplace(query.order, cursor, limit);
}

Result<bool> ListingScan::read_slice() {
  const auto end = std::chrono::steady_clock::now() + kScanSlice;
  for (unsigned count = 1;; ++count) {
    errno = 0;
    const dirent* child = ::readdir(directory_.get());
    if (child == nullptr && errno != 0) return fail_errno("readdir", errno);
    if (child == nullptr) break;
    if (is_wanted(child->d_name)) add(*child);
    if (count % kNamesPerLook == 0 && std::chrono::steady_clock::now() >= end) return false;
  }
  selector_->finish();
  return true;
}

bool ListingScan::is_wanted(std::string_view name) const {
  if (name == "." || name == "..") return false;
  return (shows_hidden_ || name.front() != '.') && contains_ignore_case(name, filter_);
}

void ListingScan::add(const dirent& child) {
  Entry entry{.name = child.d_name};
  switch (child.d_type) {
    case DT_DIR:
      entry.kind = EntryKind::kDirectory;
      break;
    case DT_REG:
      break;
    case DT_LNK:
      follow_link(entry);
      break;
    case DT_UNKNOWN:  // this file system does not say
      look_at_child(entry);
      break;
    default:
      entry.kind = EntryKind::kUnavailable;
  }
  if (needs_facts_ && !entry.has_facts) look_at_child(entry);
  if (entry.kind == EntryKind::kFile && is_better_readme(entry.name, readme_)) {
    readme_ = entry.name;
  }
  selector_->add(entry);
}

// By the root's rules, as a request for it would.
void ListingScan::follow_link(Entry& entry) {
  entry.is_link = true;
  entry.kind = EntryKind::kUnavailable;
  files::RelativePath target = path_;
  if (!target.enter(entry.name)) return;
  const files::Resource found = files::look_at(*root_, target.c_str(), files::Access::kBlocking);
  if (found.kind == files::Resource::Kind::kDirectory) {
    entry.kind = EntryKind::kDirectory;
  } else if (found.kind == files::Resource::Kind::kFile) {
    entry.kind = EntryKind::kFile;
  } else {
    return;
  }
  set_facts(entry, found.identity.size, found.identity.mtime_ns / kNanoseconds);
}

void ListingScan::look_at_child(Entry& entry) {
  struct stat st {};
  const std::string name(entry.name);
  if (::fstatat(::dirfd(directory_.get()), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISLNK(st.st_mode)) {
    follow_link(entry);
    if (entry.has_facts) return;
  } else {
    entry.kind = S_ISDIR(st.st_mode)   ? EntryKind::kDirectory
                 : S_ISREG(st.st_mode) ? EntryKind::kFile
                                       : EntryKind::kUnavailable;
  }
  set_facts(entry, static_cast<std::uint64_t>(st.st_size), st.st_mtim.tv_sec);
}

Entry ListingScan::look_at_entry(std::size_t i) {
  Entry entry = page()[i];
  if (entry.has_facts) return entry;
  const Entry before = entry;
  look_at_child(entry);
  // Its kind has decided its place already.
  entry.kind = before.kind;
  if (entry.kind != EntryKind::kFile) entry.size = 0;
  return entry;
}

}  // namespace servery::listing
