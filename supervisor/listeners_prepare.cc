// The binding half of Listeners: from a plan to sockets that take no traffic yet.
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "common/base/listen_socket.h"
#include "common/base/text.h"
#include "supervisor/bind_socket.h"
#include "supervisor/listener_group.h"
#include "supervisor/listeners.h"

namespace servery {
namespace {

constexpr std::uint16_t kDefaultPortFirst = 8000;
constexpr std::uint16_t kDefaultPortLast = 8063;
constexpr int kSamePortTries = 8;

int int_option(int fd, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(fd, level, option, &value, &size) == 0 ? value : -1;
}

// A listening stream socket of a family we serve.
Status check_inherited(const InheritedFd& inherited) {
  const int fd = inherited.fd.get();
  const int domain = int_option(fd, SOL_SOCKET, SO_DOMAIN);
  if (int_option(fd, SOL_SOCKET, SO_TYPE) != SOCK_STREAM ||
      int_option(fd, SOL_SOCKET, SO_ACCEPTCONN) != 1 ||
      (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX)) {
    return fail(Errc::kInvalid,
                fmt::format("inherited descriptor {} ({}) is not a listening socket",
                            inherited.number, inherited.name));
  }
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return fail_errno("inherited socket", errno);
  }
  return {};
}

// Whether other sockets may be bound beside this one: SO_REUSEPORT can be set on it later, but both
// must agree on IPv6 only, which ours always are.
bool accepts_siblings(int fd, int family) {
  const int on = 1;
  if (family == AF_INET6 && int_option(fd, IPPROTO_IPV6, IPV6_V6ONLY) != 1) return false;
  return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
}

ListenSocket fresh_socket(const ListenerGroup& group, std::uint32_t slot, UniqueFd fd) {
  ListenSocket socket;
  socket.name = socket_name(group.identity, slot);
  socket.slot = slot;
  socket.fd = std::move(fd);
  socket.wanted = true;
  socket.fresh = true;
  return socket;
}

ListenSocket claim(const ListenerGroup& group, std::uint32_t slot, InheritedFd inherited) {
  ListenSocket socket = fresh_socket(group, slot, std::move(inherited.fd));
  socket.state = SocketState::kListening;
  socket.inherited = true;
  socket.number = inherited.number;
  socket.inherited_name = std::move(inherited.name);
  return socket;
}

bool is_named(const InheritedFd& inherited, const std::string& name_or_number) {
  const auto number = parse_unsigned<std::uint32_t>(name_or_number);
  return inherited.name == name_or_number ||
         (number && inherited.number == static_cast<int>(*number));
}

tl::unexpected<Error> not_passed(const PlanListener& listener) {
  return fail(Errc::kNotFound, fmt::format("{}: no such descriptor was passed to this process",
                                           listener.configured));
}

}  // namespace

Status Listeners::prepare(const Plan& plan, std::uint32_t slots) {
  if (preparing_) return fail(Errc::kInternal, "listeners are being prepared already");
  for (auto& group : groups_) {
    for (ListenSocket& socket : group->sockets) {
      socket.kept = socket.wanted;
      socket.wanted = false;
    }
    group->wanted_mode = group->mode;
  }
  preparing_ = true;
  const Status status = slots == 0 ? Status() : prepare_all(plan, slots);
  if (!status) abort();
  return status;
}

Status Listeners::prepare_all(const Plan& plan, std::uint32_t slots) {
  for (const PlanListener& listener : plan.listeners) {
    switch (listener.kind) {
      case AddressKind::kTcp:
        if (plan.default_port_scan) {
          SERVERY_TRY(prepare_scanned(listener, slots));
        } else {
          SERVERY_TRY(prepare_tcp(listener, slots));
        }
        break;
      case AddressKind::kUnix:
        SERVERY_TRY(prepare_unix(listener));
        break;
      case AddressKind::kFd:
        SERVERY_TRY(prepare_inherited(listener, slots));
        break;
    }
  }
  return {};
}

Status Listeners::prepare_tcp(const PlanListener& listener, std::uint32_t slots) {
  if (listener.family == AddressFamily::kBoth) return prepare_both_families(listener, slots);
  const auto address = SERVERY_TRY(TcpAddress::parse(listener.family, listener.ip, listener.port));
  SERVERY_TRY(prepare_group(listener.configured, listener, address, slots));
  return {};
}

// Nobody asked for this port: the next free one will do.
Status Listeners::prepare_scanned(const PlanListener& listener, std::uint32_t slots) {
  PlanListener candidate = listener;
  Status status;
  for (candidate.port = kDefaultPortFirst; candidate.port <= kDefaultPortLast; ++candidate.port) {
    status = prepare_tcp(candidate, slots);
    if (status || status.error().code != Errc::kExists) return status;
  }
  return fail(Errc::kExists,
              fmt::format("no port from {} to {} is free", kDefaultPortFirst, kDefaultPortLast));
}

Status Listeners::prepare_both_families(const PlanListener& listener, std::uint32_t slots) {
  for (int attempt = 1;; ++attempt) {
    const auto ipv4 = SERVERY_TRY(TcpAddress::parse(AddressFamily::kIpv4, {}, listener.port));
    ListenerGroup* first =
        SERVERY_TRY(prepare_group(listener.configured + "/4", listener, ipv4, slots));
    auto ipv6 = SERVERY_TRY(TcpAddress::parse(AddressFamily::kIpv6, {}, first->address->port()));
    const auto second = prepare_group(listener.configured + "/6", listener, ipv6, slots);
    if (second) {
      if (has_ipv6_loopback()) return {};
      warnings_.push_back(
          fmt::format("{}: IPv6 is switched off here, only IPv4 is served", listener.configured));
      return {};
    }
    if (second.error().code == Errc::kUnsupported) {
      warnings_.push_back(
          fmt::format("{}: no IPv6 in this kernel, only IPv4 is served", listener.configured));
      return {};
    }
    // Port 0: the port the kernel chose for IPv4 is taken for IPv6.
    const bool other_port_may_do = listener.port == 0 && second.error().code == Errc::kExists &&
                                   first->sockets.front().fresh && attempt < kSamePortTries;
    if (!other_port_may_do) return tl::unexpected(second.error());
    std::erase_if(groups_, [first](const auto& group) { return group.get() == first; });
  }
}

Result<ListenerGroup*> Listeners::prepare_group(const std::string& identity,
                                                const PlanListener& listener,
                                                const TcpAddress& address, std::uint32_t slots) {
  ListenerGroup* group = find_group(identity);
  if (group == nullptr) {
    SERVERY_TRY(probe_tcp(address, own_inodes()));
    group = &add_group(identity, listener);
    group->address = address;
  }
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Status status = prepare_slot(*group, slot);
    if (status) continue;
    if (group->sockets.empty()) groups_.pop_back();
    return tl::unexpected(status.error());
  }
  return group;
}

Status Listeners::prepare_slot(ListenerGroup& group, std::uint32_t slot) {
  if (ListenSocket* present = group.find(slot)) {
    present->wanted = true;
    return {};
  }
  if (take_stored(group, slot)) return {};
  UniqueFd fd = SERVERY_TRY(bind_tcp(*group.address));
  group.address = SERVERY_TRY(TcpAddress::of_socket(fd.get()));  // port 0 is resolved by the first
  group.sockets.push_back(fresh_socket(group, slot, std::move(fd)));
  return {};
}

// A socket that an earlier supervisor of ours left in the service manager's store.
bool Listeners::take_stored(ListenerGroup& group, std::uint32_t slot) {
  const std::string name = socket_name(group.identity, slot);
  const auto stored = std::find_if(inherited_.begin(), inherited_.end(),
                                   [&name](const InheritedFd& fd) { return fd.name == name; });
  if (stored == inherited_.end() || !check_inherited(*stored)) return false;
  const auto address = TcpAddress::of_socket(stored->fd.get());
  TcpAddress wanted = *group.address;
  if (address && wanted.port() == 0) wanted.set_port(address->port());
  if (!address || address->text() != wanted.text()) return false;
  group.address = *address;
  if (!group.sockets.empty()) group.order_known = false;
  ListenSocket socket = claim(group, slot, std::move(*stored));
  socket.inherited = false;  // ours from now on
  group.sockets.push_back(std::move(socket));
  inherited_.erase(stored);
  return true;
}

Status Listeners::prepare_unix(const PlanListener& listener) {
  ListenerGroup* group = nullptr;
  std::string identity = listener.configured;
  for (auto& other : groups_) {
    if (other->configured != listener.configured) continue;
    if (other->is_lost()) other->unix_listener.unlink();  // nobody reaches it: the path is free
    const bool serves = !other->is_leaving() && !other->is_lost();
    if (serves) group = other.get();
  }
  if (group == nullptr) {
    while (find_group(identity) != nullptr) identity += '\'';  // beside those that still leave
    UnixListener bound = SERVERY_TRY(UnixListener::bind(listener.path, listener.mode));
    group = &add_group(identity, listener);
    group->unix_listener = std::move(bound);
    group->shared = true;
    group->sockets.push_back(fresh_socket(*group, 0, UniqueFd()));
  }
  group->sockets.front().wanted = true;
  group->wanted_mode = listener.mode;
  return {};
}

Status Listeners::prepare_inherited(const PlanListener& listener, std::uint32_t slots) {
  bool found = false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    ListenerGroup& group = *groups_[i];
    if (group.kind != AddressKind::kFd || group.configured != listener.configured) continue;
    found = true;
    group.sockets.front().wanted = true;
    if (!group.shared) bind_siblings(group, slots);
  }
  for (std::size_t i = 0; i < inherited_.size();) {
    if (!is_named(inherited_[i], listener.fd)) {
      ++i;
      continue;
    }
    SERVERY_TRY(adopt_inherited(listener, i, slots));
    found = true;
  }
  if (found) return {};
  return not_passed(listener);
}

Status Listeners::find_inherited(const PlanListener& listener) const {
  for (const InheritedFd& inherited : inherited_) {
    if (is_named(inherited, listener.fd)) return {};
  }
  return not_passed(listener);
}

Status Listeners::adopt_inherited(const PlanListener& listener, std::size_t index,
                                  std::uint32_t slots) {
  SERVERY_TRY(check_inherited(inherited_[index]));
  InheritedFd inherited = std::move(inherited_[index]);
  inherited_.erase(inherited_.begin() + static_cast<std::ptrdiff_t>(index));
  ListenerGroup& group =
      add_group(fmt::format("{}#{}", listener.configured, inherited.number), listener);
  const int fd = inherited.fd.get();
  if (const auto address = TcpAddress::of_socket(fd)) {
    group.address = *address;
    SERVERY_TRY(accept_new_connections(fd));  // of an earlier server of it, that was killed leaving
  }
  group.sockets.push_back(claim(group, 0, std::move(inherited)));
  group.shared = !group.address || !accepts_siblings(fd, group.address->family());
  if (!group.shared) bind_siblings(group, slots);
  return {};
}

// One that cannot be bound (another user's socket) leaves the group shared.
void Listeners::bind_siblings(ListenerGroup& group, std::uint32_t slots) {
  for (std::uint32_t slot = 1; slot < slots; ++slot) {
    if (const Status status = prepare_slot(group, slot); !status) {
      warnings_.push_back(fmt::format("{}: one socket for all workers ({})", group.configured,
                                      status.error().text));
      for (ListenSocket& socket : group.sockets) socket.wanted = socket.slot == 0;
      std::erase_if(group.sockets,
                    [](const ListenSocket& socket) { return socket.slot != 0 && socket.fresh; });
      group.shared = true;
      return;
    }
  }
}

ListenerGroup& Listeners::add_group(std::string identity, const PlanListener& listener) {
  auto group = std::make_unique<ListenerGroup>();
  group->identity = std::move(identity);
  group->configured = listener.configured;
  group->kind = listener.kind;
  group->mode = group->wanted_mode = listener.mode;
  groups_.push_back(std::move(group));
  return *groups_.back();
}

}  // namespace servery
