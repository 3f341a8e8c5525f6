#include "supervisor/bind_socket.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "common/base/listen_socket.h"
#include "common/base/text.h"
#include "supervisor/unix_listener.h"

namespace servery {
namespace {

constexpr int kDeferAcceptSeconds = 1;  // never more: the header deadline starts at accept
constexpr std::size_t kMaxOwners = 3;

Status set_option(int fd, int level, int option, int value, std::string_view what) {
  if (setsockopt(fd, level, option, &value, sizeof value) != 0) return fail_errno(what, errno);
  return {};
}

Result<UniqueFd> open_tcp(const TcpAddress& address) {
  UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail_errno(address.text(), errno);
  SERVERY_TRY(set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"));
  if (address.family() == AF_INET6) {
    SERVERY_TRY(set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1, "IPV6_V6ONLY"));
  }
  return fd;
}

Status in_use(const TcpAddress& address, const std::set<ino_t>& inodes) {
  const auto owners = socket_owners(inodes);
  if (owners.empty()) return fail(Errc::kExists, fmt::format("{} is in use", address.text()));
  return fail(Errc::kExists,
              fmt::format("{} is in use by {}", address.text(), fmt::join(owners, ", ")));
}

// Inodes of listening sockets in the way; `own` tells whether one of ours is among them.
struct Listening {
  std::set<ino_t> foreign;
  bool own = false;
};

Result<Listening> find_listening(const TcpAddress& address, const std::set<ino_t>& own_inodes) {
  Listening found;
  for (const TcpSocket& socket : SERVERY_TRY(list_listening(address.port()))) {
    if (!address.conflicts_with(socket)) continue;
    if (own_inodes.contains(socket.inode)) {
      found.own = true;
    } else {
      found.foreign.insert(socket.inode);
    }
  }
  return found;
}

// Not the clock on the wall: how far the search gets must not depend on who else computes.
std::chrono::nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::string command_of(const std::filesystem::path& process) {
  std::string name;
  std::ifstream file(process / "comm");
  std::getline(file, name);
  return name;
}

// Calls `visit` for each entry until it returns false; ends quietly where reading fails.
template <typename Visit>
void for_each_entry(const std::filesystem::path& directory, Visit visit) {
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  while (!error && entry != std::filesystem::directory_iterator() && visit(entry->path())) {
    entry.increment(error);
  }
}

bool has_socket(const std::filesystem::path& process, const std::set<std::string>& links) {
  bool found = false;
  for_each_entry(process / "fd", [&](const std::filesystem::path& path) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path, error);
    found = !error && links.contains(target.string());
    return !found;
  });
  return found;
}

}  // namespace

Status probe_tcp(const TcpAddress& address, const std::set<ino_t>& own_inodes) {
  if (address.port() == 0) return {};
  const UniqueFd fd = SERVERY_TRY(open_tcp(address));
  if (bind(fd.get(), address.data(), address.size()) == 0) return {};
  if (errno != EADDRINUSE) return fail_errno(address.text(), errno);
  const auto listening = find_listening(address, own_inodes);
  // Where the kernel lists no sockets, ours are taken for the explanation.
  if (!listening && !own_inodes.empty()) return {};
  if (!listening) return in_use(address, {});
  if (listening->foreign.empty() && listening->own) return {};
  return in_use(address, listening->foreign);
}

Status probe_listener(const PlanListener& listener, const std::set<ino_t>& own_inodes) {
  const auto probe = [&](AddressFamily family) -> Status {
    const auto address = SERVERY_TRY(TcpAddress::parse(family, listener.ip, listener.port));
    return probe_tcp(address, own_inodes);
  };
  switch (listener.kind) {
    case AddressKind::kTcp: {
      if (listener.family != AddressFamily::kBoth) return probe(listener.family);
      SERVERY_TRY(probe(AddressFamily::kIpv4));
      const Status ipv6 = probe(AddressFamily::kIpv6);
      const bool absent = !ipv6 && ipv6.error().code == Errc::kUnsupported;
      return absent ? Status() : ipv6;
    }
    case AddressKind::kUnix:
      return refuse_taken(listener.path);
    case AddressKind::kFd:
      break;  // nothing is bound
  }
  return {};
}

Status refuse_foreign_listener(const TcpAddress& address, const std::set<ino_t>& own_inodes) {
  const auto listening = find_listening(address, own_inodes);
  if (!listening || listening->foreign.empty()) return {};
  return in_use(address, listening->foreign);
}

Result<UniqueFd> bind_tcp(const TcpAddress& address) {
  UniqueFd fd = SERVERY_TRY(open_tcp(address));
  SERVERY_TRY(set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1, "SO_REUSEPORT"));
  if (bind(fd.get(), address.data(), address.size()) != 0) {
    const bool is_forbidden = errno == EACCES;
    auto failed = fail_errno(address.text(), errno);
    if (is_forbidden) failed.value().text += " (low ports need root or CAP_NET_BIND_SERVICE)";
    return failed;
  }
  SERVERY_TRY(set_listener_options(fd.get()));
  return fd;
}

Status set_listener_options(int fd) {
  SERVERY_TRY(set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY"));
  return set_defer_accept(fd, kDeferAcceptSeconds);
}

ino_t inode_of(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? info.st_ino : 0;
}

std::vector<std::string> socket_owners(const std::set<ino_t>& inodes,
                                       std::chrono::milliseconds budget) {
  std::vector<std::string> owners;
  if (inodes.empty()) return owners;
  const auto end = thread_time() + budget;
  std::set<std::string> links;
  for (ino_t inode : inodes) links.insert(fmt::format("socket:[{}]", inode));
  for_each_entry("/proc", [&](const std::filesystem::path& process) {
    const std::string pid = process.filename().string();
    if (parse_unsigned<std::uint32_t>(pid) && has_socket(process, links)) {
      owners.push_back(fmt::format("{} ({})", pid, command_of(process)));
    }
    return owners.size() < kMaxOwners && thread_time() < end;
  });
  return owners;
}

}  // namespace servery
