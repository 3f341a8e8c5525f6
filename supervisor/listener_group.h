// One address of the configuration and its sockets: a state holder of Listeners and nobody else's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/unique_fd.h"
#include "config/plan.h"
#include "supervisor/notify.h"
#include "supervisor/tcp_address.h"
#include "supervisor/unix_listener.h"

namespace servery {

// bound -> listening -> leaving -> gone; a later plan takes a leaving one back to listening.
enum class SocketState { kBound, kListening, kLeaving };

struct ListenSocket {
  std::string name;
  std::uint32_t slot = 0;
  UniqueFd fd;  // empty in a Unix group, whose UnixListener owns it
  SocketState state = SocketState::kBound;
  bool wanted = false;     // by the plan in preparation, else by the committed one
  bool kept = false;       // by the committed plan: what abort() goes back to
  bool fresh = false;      // made by the preparation under way
  bool emptied = false;    // leaving and reported empty while a preparation wants it back
  bool inherited = false;  // not ours to end: goes back to the unclaimed ones under its old name
  int number = 0;
  std::string inherited_name;
};

struct ListenerGroup {
  std::string identity;  // configured text and which part of it
  std::string configured;
  AddressKind kind = AddressKind::kTcp;
  bool shared = false;
  bool order_known = true;  // false: the kernel's order of members is from an earlier process
  std::optional<TcpAddress> address;  // of a TCP group
  UnixListener unix_listener;         // of a Unix group
  std::uint32_t mode = 0;             // as the committed plan has it
  std::uint32_t wanted_mode = 0;
  std::vector<ListenSocket> sockets;  // by slot, then leaving ones of earlier plans

  int fd_of(const ListenSocket& socket) const {
    return unix_listener ? unix_listener.fd() : socket.fd.get();
  }
  ListenSocket* find(std::uint32_t slot);
  // The selection group in the kernel; empty for a Unix socket.
  std::string selection_address() const { return address ? address->text() : std::string(); }
  bool is_wanted() const;
  bool is_leaving() const;  // has sockets, all of them leaving
  // A Unix socket whose path was removed or replaced on disk: it listens where nobody finds it.
  bool is_lost() const { return unix_listener && !unix_listener.is_in_place(); }
  std::string address_text() const;
  std::string_view kind_name() const;
};

// "l-HASH-SLOT", with HASH 16 hexadecimal digits of the identity: stable over restarts.
std::string socket_name(std::string_view identity, std::uint32_t slot);

}  // namespace servery
