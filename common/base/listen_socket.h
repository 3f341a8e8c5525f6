// Operations on a listening TCP socket that its closing order needs (docs/architecture.md, "Closing
// a listening socket"): both roles use them, the supervisor when a listener leaves, a worker when
// the supervisor is gone. Plain calls on a descriptor somebody else owns; no loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"

namespace servery {

// New connections reach only these members of the socket's SO_REUSEPORT group, at random. An index
// is the kernel's: members in the order of their listen(); when one closes, the last takes its
// place. At most kMaxSelected are used.
inline constexpr std::size_t kMaxSelected = 1024;
Status select_members(int fd, const std::vector<std::uint32_t>& indices);
// Back to the kernel's hash over all members.
Status select_all_members(int fd);

// Drops every SYN that opens a connection, so that its retransmission finds another listener (or
// none). Handshakes already begun go on.
Status drop_new_connections(int fd);
// Undoes drop_new_connections.
Status accept_new_connections(int fd);

// TCP_DEFER_ACCEPT in seconds; 0 lets silent clients into the accept queue.
Status set_defer_accept(int fd, int seconds);

}  // namespace servery
