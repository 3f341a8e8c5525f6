#include "supervisor/listeners.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "common/base/listen_socket.h"
#include "supervisor/bind_socket.h"
#include "supervisor/listener_group.h"

namespace servery {
namespace {

constexpr int kBacklog = 4096;

int kernel_backlog_limit() {
  int limit = kBacklog;
  std::ifstream("/proc/sys/net/core/somaxconn") >> limit;
  return limit;
}

// Of Unix sockets: a connection has the name of the socket that accepted it.
bool have_one_name(int one, int other) {
  const auto name_of = [](int fd) {
    sockaddr_un name{};
    socklen_t size = sizeof name;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return std::string();
    if (name.sun_family != AF_UNIX) return std::string();
    return std::string(reinterpret_cast<const char*>(&name),
                       std::min<std::size_t>(size, sizeof name));
  };
  const std::string name = name_of(one);
  return !name.empty() && name == name_of(other);
}

}  // namespace

Listeners::Listeners(std::vector<InheritedFd> inherited) : inherited_(std::move(inherited)) {
  const int limit = kernel_backlog_limit();
  backlog_ = std::min(kBacklog, limit);
  if (limit < kBacklog) {
    warnings_.push_back(fmt::format("net.core.somaxconn is {}: fewer than {} connections can queue",
                                    limit, kBacklog));
  }
}

Listeners::~Listeners() = default;

// Unix sockets come last: they alone become visible by a name.
Status Listeners::commit() {
  for (auto& group : groups_) {
    if (group->address) SERVERY_TRY(listen_group(*group));
  }
  for (auto& group : groups_) {
    if (!group->unix_listener || !group->is_wanted()) continue;
    if (group->sockets.front().fresh) SERVERY_TRY(group->unix_listener.publish(backlog_));
    if (group->mode != group->wanted_mode) {
      SERVERY_TRY(group->unix_listener.set_mode(group->wanted_mode));
    }
  }
  settle();
  return {};
}

Status Listeners::listen_group(ListenerGroup& group) {
  const std::string address = group.selection_address();
  const bool opens = std::any_of(
      group.sockets.begin(), group.sockets.end(),
      [](const auto& socket) { return socket.fresh && socket.state == SocketState::kBound; });
  // Another server may have come since the probe.
  if (opens) SERVERY_TRY(refuse_foreign_listener(*group.address, own_inodes()));
  for (ListenSocket& socket : group.sockets) {
    if (!socket.wanted) continue;
    if (socket.fresh && socket.state == SocketState::kListening) {
      SERVERY_TRY(set_listener_options(socket.fd.get()));
      SERVERY_TRY(accept_new_connections(socket.fd.get()));
      if (!group.shared) orders_.on_listen(address, socket.fd.get());
    } else if (socket.state == SocketState::kBound) {
      if (listen(socket.fd.get(), backlog_) != 0) return fail_errno(address, errno);
      socket.state = SocketState::kListening;
      orders_.on_listen(address, socket.fd.get());
    }
  }
  return {};
}

// A plan wants again what an earlier one let go.
void Listeners::take_back(ListenerGroup& group, ListenSocket& socket) {
  socket.emptied = false;
  if (!group.address) return;
  for (const Status& status :
       {set_listener_options(socket.fd.get()), accept_new_connections(socket.fd.get())}) {
    if (!status) warnings_.push_back(fmt::format("{}: {}", socket.name, status.error().text));
  }
}

void Listeners::settle() {
  for (auto& group : groups_) {
    group->mode = group->wanted_mode;
    for (ListenSocket& socket : group->sockets) {
      socket.fresh = false;
      if (!socket.wanted) continue;
      if (socket.state == SocketState::kLeaving) take_back(*group, socket);
      socket.state = SocketState::kListening;
    }
  }
  preparing_ = false;
  for (auto& group : groups_) {
    if (group->address && group->is_wanted()) select_survivors(group->selection_address());
  }
}

void Listeners::abort() {
  if (!preparing_) return;
  preparing_ = false;
  for (auto& group : groups_) {
    for (ListenSocket& socket : group->sockets) {
      socket.wanted = socket.kept && !socket.fresh;
      if (socket.fresh || (socket.emptied && socket.state == SocketState::kLeaving)) {
        close_socket(*group, socket);
      }
    }
    group->wanted_mode = group->mode;
  }
  remove_gone();
}

std::vector<LeavingSocket> Listeners::retire() {
  std::vector<LeavingSocket> leaving;
  std::set<std::string> addresses;
  for (auto& group : groups_) {
    for (ListenSocket& socket : group->sockets) {
      if (socket.wanted || socket.state != SocketState::kListening) continue;
      socket.state = SocketState::kLeaving;
      leaving.push_back({socket.name, group->fd_of(socket), socket.slot, group->shared});
      if (group->address) addresses.insert(group->selection_address());
    }
  }
  for (const std::string& address : addresses) select_survivors(address);
  for (auto& group : groups_) {
    for (ListenSocket& socket : group->sockets) {
      const auto is_new = [&socket](const LeavingSocket& other) {
        return other.name == socket.name;
      };
      if (std::any_of(leaving.begin(), leaving.end(), is_new)) retire_socket(*group, socket);
    }
  }
  return leaving;
}

// A client whose SYN is dropped here finds another listener, or is refused, by its retransmission.
void Listeners::retire_socket(ListenerGroup& group, ListenSocket& socket) {
  if (group.unix_listener) group.unix_listener.unlink();
  if (!group.address) return;
  // One that was passed to us stays its owner's: what comes now waits in its queue for whoever
  // accepts there next.
  const Status dropped = socket.inherited ? Status() : drop_new_connections(socket.fd.get());
  for (const Status& status : {dropped, set_defer_accept(socket.fd.get(), 0)}) {
    if (!status) warnings_.push_back(fmt::format("{}: {}", socket.name, status.error().text));
  }
}

void Listeners::close_leaving(std::string_view name) {
  for (auto& group : groups_) {
    for (ListenSocket& socket : group->sockets) {
      if (socket.name != name || socket.state != SocketState::kLeaving) continue;
      if (preparing_ && socket.wanted) {
        socket.emptied = true;
      } else {
        close_socket(*group, socket);
      }
    }
  }
  remove_gone();
}

bool Listeners::is_leaving(std::string_view name) const {
  for (const auto& group : groups_) {
    for (const ListenSocket& socket : group->sockets) {
      if (socket.name == name) return socket.state == SocketState::kLeaving;
    }
  }
  return false;
}

// While the kernel moves the last member into the closed one's place, that member is not selected.
// An inherited socket is the manager's too: it goes back to the unclaimed ones, its SYNs dropped.
void Listeners::close_socket(ListenerGroup& group, ListenSocket& socket) {
  const int fd = group.fd_of(socket);
  const std::string address = group.selection_address();
  const auto moved = orders_.moved_by_close(address, fd);
  if (moved) select_survivors(address, *moved);
  orders_.on_close(address, fd);
  if (socket.inherited) {
    inherited_.push_back({std::move(socket.fd), socket.number, socket.inherited_name});
  }
  socket.fd.reset();
  group.unix_listener.reset();
  socket.name.clear();
  select_survivors(address);
}

void Listeners::remove_gone() {
  for (auto& group : groups_) {
    std::erase_if(group->sockets, [](const ListenSocket& socket) { return socket.name.empty(); });
  }
  std::erase_if(groups_, [](const auto& group) { return group->sockets.empty(); });
}

void Listeners::select_survivors(const std::string& address, int except) {
  const std::vector<int>& members = orders_.members(address);
  std::vector<std::uint32_t> indices;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] != except && !is_leaving(members[i])) {
      indices.push_back(static_cast<std::uint32_t>(i));
    }
  }
  // Without a member to select, or without knowing their order, dropped SYNs do the work alone.
  const bool order_known = std::all_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    return group->order_known || group->selection_address() != address;
  });
  if (indices.empty() || !order_known) return;
  const Status status = indices.size() == members.size() ? select_all_members(members.front())
                                                         : select_members(members.front(), indices);
  if (!status) warnings_.push_back(fmt::format("{}: {}", address, status.error().text));
}

bool Listeners::is_leaving(int fd) const {
  for (const auto& group : groups_) {
    for (const ListenSocket& socket : group->sockets) {
      if (socket.fd.get() == fd) return socket.state == SocketState::kLeaving;
    }
  }
  return true;
}

std::vector<SlotSocket> Listeners::sockets_of(std::uint32_t slot) const {
  std::vector<SlotSocket> sockets;
  for (const auto& group : groups_) {
    for (const ListenSocket& socket : group->sockets) {
      if (!socket.wanted || (!group->shared && socket.slot != slot)) continue;
      sockets.push_back({socket.name, group->fd_of(socket), group->configured, group->shared,
                         group->address.has_value()});
    }
  }
  return sockets;
}

std::string Listeners::socket_for(int connection) const {
  const auto local = TcpAddress::of_socket(connection);
  std::string wildcard;
  for (const auto& group : groups_) {
    for (const ListenSocket& socket : group->sockets) {
      if (!is_committed(socket)) continue;
      const bool accepts = local ? group->address && group->address->covers(*local)
                                 : have_one_name(group->fd_of(socket), connection);
      if (!accepts) continue;
      if (!local || !group->address->is_any()) return socket.name;
      if (wildcard.empty()) wildcard = socket.name;
    }
  }
  return wildcard;
}

bool Listeners::is_committed(const ListenSocket& socket) const {
  return socket.state == SocketState::kListening && (preparing_ ? socket.kept : socket.wanted);
}

std::vector<ListenerStatus> Listeners::status() const {
  std::vector<ListenerStatus> all;
  for (const auto& group : groups_) {
    ListenerStatus status{group->address_text(),
                          group->configured,
                          std::string(group->kind_name()),
                          group->shared ? "shared" : "per_slot",
                          0,
                          0};
    for (const ListenSocket& socket : group->sockets) {
      if (socket.state == SocketState::kListening) ++status.sockets;
      if (socket.state == SocketState::kLeaving) ++status.leaving;
    }
    if (status.sockets + status.leaving > 0) all.push_back(std::move(status));
  }
  return all;
}

ListenerChanges Listeners::changes(const Plan& plan) const {
  std::set<std::string> present;
  for (const auto& group : groups_) {
    if (group->is_wanted()) present.insert(group->configured);
  }
  ListenerChanges changes;
  for (const PlanListener& listener : plan.listeners) {
    auto& list = present.erase(listener.configured) > 0 ? changes.kept : changes.opened;
    list.push_back(listener.configured);
  }
  changes.closed.assign(present.begin(), present.end());
  return changes;
}

bool Listeners::serves(const PlanListener& listener) const {
  return std::any_of(groups_.begin(), groups_.end(), [&listener](const auto& group) {
    return group->is_wanted() && group->configured == listener.configured;
  });
}

std::vector<Error> Listeners::obstacles(const Plan& plan) const {
  std::vector<Error> found;
  const std::set<ino_t> own = own_inodes();
  for (const PlanListener& listener : plan.listeners) {
    if (plan.default_port_scan || serves(listener)) continue;
    const Status free = listener.kind == AddressKind::kFd ? find_inherited(listener)
                                                          : probe_listener(listener, own);
    if (!free) found.push_back(free.error());
  }
  return found;
}

std::vector<std::string> Listeners::take_warnings() { return std::exchange(warnings_, {}); }

std::vector<std::string> Listeners::close_unclaimed() {
  std::vector<std::string> closed;
  std::erase_if(inherited_, [&closed](const InheritedFd& inherited) {
    if (!inherited.name.starts_with("l-")) return false;
    closed.push_back(inherited.name);
    return true;
  });
  return closed;
}

ListenerGroup* Listeners::find_group(std::string_view identity) {
  const auto found = std::find_if(groups_.begin(), groups_.end(), [identity](const auto& group) {
    return group->identity == identity;
  });
  return found == groups_.end() ? nullptr : found->get();
}

std::set<ino_t> Listeners::own_inodes() const {
  std::set<ino_t> inodes;
  for (const InheritedFd& inherited : inherited_) inodes.insert(inode_of(inherited.fd.get()));
  for (const auto& group : groups_) {
    for (const ListenSocket& socket : group->sockets) inodes.insert(inode_of(socket.fd.get()));
  }
  return inodes;
}

}  // namespace servery
