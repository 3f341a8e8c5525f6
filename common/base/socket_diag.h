// TCP sockets of this network namespace as the kernel lists them (NETLINK_SOCK_DIAG): who listens
// on a port, which handshakes are half done. Unprivileged; blocking but short: the kernel filters
// by state.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "common/base/result.h"

namespace servery {

struct TcpSocket {
  int family = AF_INET;
  std::array<std::uint8_t, 16> local{};  // IPv4 in the first 4 bytes
  std::array<std::uint8_t, 16> remote{};
  std::uint16_t local_port = 0;
  std::uint16_t remote_port = 0;
  std::uint64_t inode = 0;  // 0 for a half-open connection
  uid_t uid = 0;
  bool v6_only = false;  // a listening socket only

  auto operator<=>(const TcpSocket&) const = default;
};

// kUnsupported where the kernel does not offer it.
Result<std::vector<TcpSocket>> list_listening(std::uint16_t port);

// The handshakes on one listening socket's address that have no socket to accept yet (SYN_RECV).
// They cannot be told apart by group member, so: remember those of the moment when selection
// stopped, and wait until none of them is left.
class HalfOpenWatch {
 public:
  // Now, for the address `listen_fd` is bound to. A Unix socket has none.
  static Result<HalfOpenWatch> begin(int listen_fd);
  // Those remembered, over every member of the group.
  std::size_t count() const { return pending_.size(); }
  // How many of the remembered ones are still half open; forgets the others.
  Result<std::size_t> remaining();

 private:
  explicit HalfOpenWatch(const TcpSocket& address) : address_(address) {}
  Result<std::set<TcpSocket>> list() const;

  TcpSocket address_;  // of the listener; port 0: nothing to watch
  std::set<TcpSocket> pending_;
};

}  // namespace servery
