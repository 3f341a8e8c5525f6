#include "supervisor/listener_group.h"

#include <fmt/format.h>

#include <algorithm>

namespace servery {

ListenSocket* ListenerGroup::find(std::uint32_t slot) {
  const auto found =
      std::find_if(sockets.begin(), sockets.end(),
                   [slot](const ListenSocket& socket) { return socket.slot == slot; });
  return found == sockets.end() ? nullptr : &*found;
}

bool ListenerGroup::is_wanted() const {
  return std::any_of(sockets.begin(), sockets.end(),
                     [](const ListenSocket& socket) { return socket.wanted; });
}

bool ListenerGroup::is_leaving() const {
  return !sockets.empty() &&
         std::all_of(sockets.begin(), sockets.end(), [](const ListenSocket& socket) {
           return socket.state == SocketState::kLeaving;
         });
}

std::string ListenerGroup::address_text() const {
  if (address) return address->text();
  if (kind == AddressKind::kUnix) return "unix:" + unix_listener.path();
  return configured;
}

std::string_view ListenerGroup::kind_name() const {
  switch (kind) {
    case AddressKind::kTcp:
      return "tcp";
    case AddressKind::kUnix:
      return "unix";
    case AddressKind::kFd:
      return "inherited";
  }
  return "tcp";
}

std::string socket_name(std::string_view identity, std::uint32_t slot) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : identity) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return fmt::format("l-{:016x}-{}", hash, slot);
}

}  // namespace servery
