#include "supervisor/notify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/base/log.h"
#include "common/base/text.h"

namespace servery {
namespace {

constexpr int kFirstInheritedFd = 3;
constexpr std::uint32_t kMaxInherited = 1024;
constexpr std::size_t kMaxStatusBytes = 1024;

// The value of an environment variable, which is then gone.
std::optional<std::string> take_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string copy(value);
  unsetenv(name);
  return copy;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t colon = text.find(':');
    names.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return names;
    text.remove_prefix(colon + 1);
  }
}

// One line: a newline would start another assignment of the protocol.
std::string one_line(std::string_view text) {
  std::string line(text.substr(0, kMaxStatusBytes));
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return line;
}

std::uint64_t monotonic_usec() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec) / 1000U;
}

}  // namespace

Result<std::vector<InheritedFd>> take_inherited_fds() {
  const auto pid = take_variable("LISTEN_PID");
  const auto count_text = take_variable("LISTEN_FDS");
  const auto names_text = take_variable("LISTEN_FDNAMES");
  std::vector<InheritedFd> inherited;
  if (!pid || !count_text || *pid != std::to_string(getpid())) return inherited;
  const auto count = parse_unsigned<std::uint32_t>(*count_text);
  if (!count || *count > kMaxInherited) {
    return fail(Errc::kInvalid, "LISTEN_FDS is not a number of descriptors");
  }
  std::vector<std::string> names(*count, "unknown");
  if (names_text && *count > 0) {
    names = split_names(*names_text);
    if (names.size() != *count) {
      return fail(Errc::kInvalid, "LISTEN_FDNAMES and LISTEN_FDS disagree");
    }
  }
  for (std::uint32_t i = 0; i < *count; ++i) {
    const int number = kFirstInheritedFd + static_cast<int>(i);
    if (fcntl(number, F_SETFD, FD_CLOEXEC) != 0) {
      return fail(Errc::kInvalid, fmt::format("LISTEN_FDS: descriptor {} is not open", number));
    }
    inherited.push_back({UniqueFd(number), number, names[i]});
  }
  return inherited;
}

Result<Notify> Notify::from_environment() {
  Notify notify;
  const auto path = take_variable("NOTIFY_SOCKET");
  const auto watchdog_pid = take_variable("WATCHDOG_PID");
  const auto watchdog_usec = take_variable("WATCHDOG_USEC");
  if (!path || path->empty()) return notify;
  if ((path->front() != '/' && path->front() != '@') ||
      path->size() >= sizeof notify.address_.sun_path) {
    return fail(Errc::kInvalid, "NOTIFY_SOCKET is neither a path nor an abstract name");
  }
  notify.address_.sun_family = AF_UNIX;
  std::memcpy(notify.address_.sun_path, path->data(), path->size());
  const bool abstract = path->front() == '@';
  if (abstract) notify.address_.sun_path[0] = '\0';
  notify.address_size_ =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path->size() + (abstract ? 0U : 1U));
  notify.fd_ = UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!notify.fd_) return fail_errno("notify socket", errno);
  const auto usec = parse_unsigned<std::uint64_t>(watchdog_usec.value_or(""));
  if (usec && *usec > 0 &&
      watchdog_pid.value_or(std::to_string(getpid())) == std::to_string(getpid())) {
    notify.watchdog_ = std::max(Milliseconds(1), Milliseconds(*usec / 2000));
  }
  return notify;
}

void Notify::ready(std::string_view status) {
  send(fmt::format("READY=1\nSTATUS={}\n", one_line(status)));
}

void Notify::reloading(std::string_view status) {
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\nSTATUS={}\n", monotonic_usec(),
                   one_line(status)));
}

void Notify::stopping(std::string_view status) {
  send(fmt::format("STOPPING=1\nSTATUS={}\n", one_line(status)));
}

void Notify::status(std::string_view status) { send(fmt::format("STATUS={}\n", one_line(status))); }

void Notify::watchdog() { send("WATCHDOG=1\n"); }

void Notify::extend_timeout(Milliseconds by) {
  send(fmt::format("EXTEND_TIMEOUT_USEC={}\n",
                   std::chrono::duration_cast<std::chrono::microseconds>(by).count()));
}

void Notify::store(std::string_view name, int fd) {
  send(fmt::format("FDSTORE=1\nFDNAME={}\n", one_line(name)), fd);
}

void Notify::unstore(std::string_view name) {
  send(fmt::format("FDSTOREREMOVE=1\nFDNAME={}\n", one_line(name)));
}

void Notify::send(std::string_view message, int fd) {
  if (!fd_) return;
  iovec data{const_cast<char*>(message.data()), message.size()};
  msghdr header{};
  header.msg_name = &address_;
  header.msg_namelen = address_size_;
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  // The manager reads fast or is gone; the service does not wait for it.
  if (sendmsg(fd_.get(), &header, MSG_NOSIGNAL) < 0) {
    log::warning("notify_failed", {{"cause", strerrordesc_np(errno)}});
  }
}

}  // namespace servery
