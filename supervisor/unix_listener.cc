#include "supervisor/unix_listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace servery {
namespace {

constexpr std::uint32_t kPrivateMode = 0600;

Result<sockaddr_un> unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return fail(Errc::kInvalid, fmt::format("{}: a socket path has at most {} bytes", path,
                                            sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

// In the same directory, so that rename is atomic; short, so that a path that fits keeps fitting.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  return fmt::format("{}.s{}.{}", directory, getpid(), counter.fetch_add(1));
}

std::string lock_name(const std::string& path) { return path + ".lock"; }

bool leads_to(const std::string& name, int fd) {
  struct stat held {};
  struct stat named {};
  return fstat(fd, &held) == 0 && lstat(name.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

}  // namespace

Result<UnixSocketState> probe_unix_socket(const std::string& path) {
  const sockaddr_un address = SERVERY_TRY(unix_address(path));
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return UnixSocketState::kMissing;
    return fail_errno(path, errno);
  }
  if (!S_ISSOCK(info.st_mode)) return UnixSocketState::kNotSocket;
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno("socket", errno);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EAGAIN || errno == EINPROGRESS) {  // EAGAIN: its backlog is full
    return UnixSocketState::kLive;
  }
  if (errno == ECONNREFUSED) return UnixSocketState::kDead;
  if (errno == ENOENT) return UnixSocketState::kMissing;
  if (errno == EPROTOTYPE) return UnixSocketState::kLive;  // some other kind of socket
  return fail_errno(path, errno);
}

Status refuse_taken(const std::string& path) {
  switch (SERVERY_TRY(probe_unix_socket(path))) {
    case UnixSocketState::kLive:
      return fail(Errc::kExists, path + ": in use by a live server");
    case UnixSocketState::kNotSocket:
      return fail(Errc::kInvalid, path + ": something that is not a socket is there");
    case UnixSocketState::kDead:
    case UnixSocketState::kMissing:
      return {};
  }
  return {};
}

UnixListener& UnixListener::operator=(UnixListener&& other) noexcept {
  if (this != &other) {
    reset();
    path_ = std::move(other.path_);
    bound_name_ = std::exchange(other.bound_name_, {});
    device_ = other.device_;
    inode_ = other.inode_;
    fd_ = std::move(other.fd_);
    lock_ = std::move(other.lock_);
  }
  return *this;
}

Result<UnixListener> UnixListener::bind(const std::string& path, std::uint32_t mode) {
  SERVERY_TRY(unix_address(path));
  UnixListener listener;
  listener.path_ = path;
  SERVERY_TRY(refuse_taken(path));  // before the lock file: a refusal leaves nothing behind
  SERVERY_TRY(listener.take_lock());
  SERVERY_TRY(refuse_taken(path));
  listener.fd_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.fd_) return fail_errno("socket", errno);
  const std::string temporary = temporary_name(path);
  const sockaddr_un address = SERVERY_TRY(unix_address(temporary));
  if (::bind(listener.fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
      0) {
    return fail_errno(path, errno);
  }
  listener.bound_name_ = temporary;
  struct stat info {};
  if (lstat(temporary.c_str(), &info) != 0) return fail_errno(path, errno);
  listener.device_ = info.st_dev;
  listener.inode_ = info.st_ino;
  SERVERY_TRY(listener.set_mode(mode));
  return listener;
}

// Whoever removes a lock file holds its lock, so a lock counts only while its name still leads to
// it.
Status UnixListener::take_lock() {
  const std::string name = lock_name(path_);
  while (true) {
    UniqueFd fd(open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPrivateMode));
    if (!fd) return fail_errno(name, errno);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return fail(Errc::kExists, path_ + ": in use by another server");
      return fail_errno(name, errno);
    }
    if (leads_to(name, fd.get())) {
      lock_ = std::move(fd);
      return {};
    }
  }
}

Status UnixListener::publish(int backlog) {
  if (listen(fd_.get(), backlog) != 0) return fail_errno(path_, errno);
  if (bound_name_ == path_) return {};
  if (rename(bound_name_.c_str(), path_.c_str()) != 0) return fail_errno(path_, errno);
  bound_name_ = path_;
  return {};
}

Status UnixListener::set_mode(std::uint32_t mode) {
  if (chmod(bound_name_.c_str(), static_cast<mode_t>(mode & 0777)) != 0) {
    return fail_errno(path_, errno);
  }
  return {};
}

bool UnixListener::is_in_place() const {
  struct stat info {};
  return !bound_name_.empty() && lstat(bound_name_.c_str(), &info) == 0 && info.st_dev == device_ &&
         info.st_ino == inode_;
}

void UnixListener::unlink() {
  if (is_in_place()) ::unlink(bound_name_.c_str());
  bound_name_.clear();
  if (!lock_) return;
  const std::string name = lock_name(path_);
  if (leads_to(name, lock_.get())) ::unlink(name.c_str());
  lock_.reset();
}

void UnixListener::reset() {
  unlink();
  fd_.reset();
}

}  // namespace servery
