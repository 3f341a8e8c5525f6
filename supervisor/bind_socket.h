// Getting a TCP address: probing whether it is free, naming who has it, binding one socket of a
// SO_REUSEPORT group. Blocking system calls on the supervisor's thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/socket_diag.h"
#include "common/base/unique_fd.h"
#include "config/plan.h"
#include "supervisor/tcp_address.h"

namespace servery {

// kExists when somebody whose socket is not among `own_inodes` has the address, naming the process
// where /proc tells. SO_REUSEPORT would share the port with another server of the same user in
// silence, so the probe binds without it.
Status probe_tcp(const TcpAddress& address, const std::set<ino_t>& own_inodes);
// The same of every address that `listener` stands for, and of a Unix socket's path. An inherited
// one is not asked about.
Status probe_listener(const PlanListener& listener, const std::set<ino_t>& own_inodes);
// The same question about sockets that listen, without binding.
Status refuse_foreign_listener(const TcpAddress& address, const std::set<ino_t>& own_inodes);

// Bound, not listening: it takes no connection. Close-on-exec, non-blocking, SO_REUSEPORT, IPv6
// only.
Result<UniqueFd> bind_tcp(const TcpAddress& address);
// What connections inherit, and TCP_DEFER_ACCEPT of one second.
Status set_listener_options(int fd);

ino_t inode_of(int fd);

inline constexpr std::chrono::milliseconds kOwnerSearch{100};

// "PID (COMMAND)" of processes with the sockets open, as far as /proc shows them and as a search of
// `budget` of this thread's processor time finds them: the loop waits for it.
std::vector<std::string> socket_owners(const std::set<ino_t>& inodes,
                                       std::chrono::milliseconds budget = kOwnerSearch);

}  // namespace servery
