#include "common/credentials/password_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <functional>
#include <optional>

#include "common/base/read_file.h"
#include "common/base/unique_fd.h"
#include "common/credentials/htpasswd.h"

namespace servery {
namespace {

constexpr mode_t kNewMode = 0600;

// The text after the edit; nullopt: there is nothing to edit.
using Edit = std::function<std::optional<std::string>(const std::string& text)>;

std::string without_links(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  return ::realpath(path.c_str(), resolved.data()) == nullptr ? path : resolved.data();
}

Status write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno("write", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return fail_errno("fsync", errno);
  return {};
}

// Locks the directory: the file itself is another one after each edit.
Result<UniqueFd> lock_directory(const std::string& directory) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno(directory, errno);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return fail_errno("lock " + directory, errno);
  }
  return fd;
}

Status fill(int fd, std::string_view text, const struct stat* old) {
  if (old != nullptr) {
    const bool is_ours = old->st_uid == ::geteuid() && old->st_gid == ::getegid();
    if (!is_ours && ::fchown(fd, old->st_uid, old->st_gid) != 0) {
      return fail_errno("keep the owner", errno);
    }
    if (::fchmod(fd, old->st_mode & 0777) != 0) return fail_errno("keep the mode", errno);
  }
  return write_all(fd, text);
}

Status replace(int directory, const std::string& name, std::string_view text,
               const struct stat* old) {
  const std::string temporary = fmt::format(".{}.{}.new", name, ::getpid());
  const UniqueFd file(::openat(directory, temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewMode));
  if (!file) return fail_errno("make a file beside " + name, errno);
  Status done = fill(file.get(), text, old);
  if (done && ::renameat(directory, temporary.c_str(), directory, name.c_str()) != 0) {
    done = fail_errno("replace " + name, errno);
  }
  if (!done) {
    ::unlinkat(directory, temporary.c_str(), 0);
  } else if (::fsync(directory) != 0) {
    done = fail_errno("fsync the directory", errno);
  }
  return done;
}

Status edit_file(const std::string& given, bool may_make, const Edit& edit) {
  const std::string path = without_links(given);
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const UniqueFd locked = SERVERY_TRY(lock_directory(directory));
  auto text = read_regular_file(path, kMaxHtpasswdBytes);
  const bool is_new = !text && text.error().code == Errc::kNotFound && may_make;
  if (!text && !is_new) return fail(text.error().code, given + ": " + text.error().text);
  struct stat old {};
  if (!is_new && ::fstatat(locked.get(), name.c_str(), &old, 0) != 0) {
    return fail_errno(given, errno);
  }
  const auto edited = edit(is_new ? std::string() : *text);
  if (!edited) return fail(Errc::kNotFound, given + ": there is no such user");
  return replace(locked.get(), name, *edited, is_new ? nullptr : &old);
}

}  // namespace

Status set_user(const std::string& path, std::string_view user, std::string_view hash) {
  return edit_file(path, true, [&](const std::string& text) -> std::optional<std::string> {
    return with_user(text, user, hash);
  });
}

Status remove_user(const std::string& path, std::string_view user) {
  return edit_file(path, false, [&](const std::string& text) { return without_user(text, user); });
}

}  // namespace servery
