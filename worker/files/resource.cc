#include "worker/files/resource.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "worker/files/segment_walk.h"

namespace servery::files {
namespace {

constexpr int kLookFlags = O_PATH | O_CLOEXEC;
// O_NONBLOCK: should the name have become a FIFO since the look, the open must not wait.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kOpenAttempts = 3;  // the name may change between look and open

int openat2(int directory, const char* path, int flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, directory, path, &how, sizeof how));
}

std::uint64_t resolve_flags(SymlinkPolicy symlinks) {
  switch (symlinks) {
    case SymlinkPolicy::kInside:
      return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    case SymlinkPolicy::kNone:
      return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
    case SymlinkPolicy::kAll:
      return RESOLVE_NO_MAGICLINKS;
  }
  return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
}

int walk(const Root& root, const char* path, int flags) {
  const WalkRoot start{root.fd.get(), root.name, root.place};
  return open_by_segments(start, path, flags, root.symlinks == SymlinkPolicy::kInside);
}

// Whether RESOLVE_BENEATH stopped at a link that may lead into the root all the same.
bool needs_walk(const Root& root) {
  return errno == EXDEV && root.symlinks == SymlinkPolicy::kInside;
}

// -1 with errno. EAGAIN for kInline means "not cached", or that the walk must tell.
int open_contained(const Root& root, const char* path, int flags, Access access) {
  if (access == Access::kInline) {
    if (!root.offers.cached) {
      errno = EAGAIN;
      return -1;
    }
    const int fd =
        openat2(root.fd.get(), path, flags, resolve_flags(root.symlinks) | RESOLVE_CACHED);
    if (fd < 0 && needs_walk(root)) errno = EAGAIN;
    return fd;
  }
  if (root.offers.openat2) {
    // RESOLVE_BENEATH answers EAGAIN when a rename raced with a ".." in a link.
    for (int i = 0; i < kOpenAttempts; ++i) {
      const int fd = openat2(root.fd.get(), path, flags, resolve_flags(root.symlinks));
      if (fd < 0 && needs_walk(root)) return walk(root, path, flags);
      if (fd >= 0 || errno != EAGAIN) return fd;
    }
    return -1;
  }
  if (root.symlinks == SymlinkPolicy::kAll) return ::openat(root.fd.get(), path, flags);
  return walk(root, path, flags);
}

bool is_missing_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:  // a refused or circular link
    case EXDEV:  // outside the root
      return true;
    default:
      return false;
  }
}

Resource from_errno(int error_number, Access access) {
  Resource result;
  if (is_missing_errno(error_number)) return result;
  if (error_number == EAGAIN && access == Access::kInline) {
    result.kind = Resource::Kind::kWouldBlock;
    return result;
  }
  result.kind = Resource::Kind::kFailed;
  result.error = errc_from_errno(error_number);
  return result;
}

// The kernel's own name for an open directory; empty if it has none in this process's view.
std::string place_of(int directory) {
  std::array<char, PATH_MAX> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(directory);
  const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) return {};
  return target[0] == '/' ? std::string(target.data(), static_cast<std::size_t>(size)) : "";
}

bool same_object(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

Result<Root> open_root(UniqueFd directory, SymlinkPolicy symlinks, const std::string& name) {
  Root root;
  root.fd = std::move(directory);
  root.symlinks = symlinks;
  root.name = name;
  root.place = place_of(root.fd.get());
  // The kernel calls are probed on the root itself, because a filter may answer ENOSYS or EPERM.
  UniqueFd probe(openat2(root.fd.get(), ".", kLookFlags, RESOLVE_BENEATH));
  root.offers.openat2 = static_cast<bool>(probe);
  probe.reset(openat2(root.fd.get(), ".", kLookFlags, RESOLVE_BENEATH | RESOLVE_CACHED));
  root.offers.cached = probe || errno == EAGAIN;
  probe.reset(::openat(root.fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!probe) return fail_errno("static root " + name, errno);
  return root;
}

Resource acquire_resource(const Root& root, const char* path, Access access) {
  Resource result;
  for (int attempt = 0; attempt < kOpenAttempts; ++attempt) {
    const UniqueFd look(open_contained(root, path, kLookFlags, access));
    if (!look) return from_errno(errno, access);
    struct stat seen {};
    if (::fstat(look.get(), &seen) != 0) return from_errno(errno, access);
    if (S_ISDIR(seen.st_mode)) {
      result.kind = Resource::Kind::kDirectory;
      return result;
    }
    if (!S_ISREG(seen.st_mode)) return from_errno(EACCES, access);
    UniqueFd file(open_contained(root, path, kReadFlags, access));
    if (!file) return from_errno(errno, access);
    struct stat opened {};
    if (::fstat(file.get(), &opened) != 0) return from_errno(errno, access);
    if (!same_object(seen, opened)) continue;  // replaced in between: look again
    result.kind = Resource::Kind::kFile;
    result.fd = std::move(file);
    result.identity = FileIdentity::of(opened);
    return result;
  }
  result.kind = Resource::Kind::kFailed;
  result.error = Errc::kBusy;
  return result;
}

Resource acquire_directory(const Root& root, const char* path, Access access) {
  UniqueFd directory(open_contained(root, path, kReadFlags | O_DIRECTORY, access));
  if (!directory) return from_errno(errno, access);
  struct stat opened {};
  if (::fstat(directory.get(), &opened) != 0) return from_errno(errno, access);
  Resource result;
  result.kind = Resource::Kind::kDirectory;
  result.fd = std::move(directory);
  result.identity = FileIdentity::of(opened);
  return result;
}

Resource look_at(const Root& root, const char* path, Access access) {
  const UniqueFd look(open_contained(root, path, kLookFlags, access));
  if (!look) return from_errno(errno, access);
  struct stat seen {};
  if (::fstat(look.get(), &seen) != 0) return from_errno(errno, access);
  if (!S_ISDIR(seen.st_mode) && !S_ISREG(seen.st_mode)) return from_errno(EACCES, access);
  Resource result;
  result.kind = S_ISDIR(seen.st_mode) ? Resource::Kind::kDirectory : Resource::Kind::kFile;
  result.identity = FileIdentity::of(seen);
  return result;
}

Proof prove_file(const Root& root, const char* path, const FileIdentity& identity) {
  const UniqueFd look(open_contained(root, path, kLookFlags, Access::kInline));
  if (!look) return errno == EAGAIN ? Proof::kWouldBlock : Proof::kChanged;
  struct stat seen {};
  if (::fstat(look.get(), &seen) != 0) return Proof::kChanged;
  return FileIdentity::of(seen) == identity ? Proof::kSame : Proof::kChanged;
}

Proof prove_missing(const Root& root, const char* path) {
  const UniqueFd look(open_contained(root, path, kLookFlags, Access::kInline));
  if (look) return Proof::kChanged;
  if (errno == EAGAIN) return Proof::kWouldBlock;
  return is_missing_errno(errno) ? Proof::kSame : Proof::kChanged;
}

}  // namespace servery::files
