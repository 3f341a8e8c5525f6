// Giving up privileges for good: identity, capabilities, new privileges, dumpability, and the proof
// that it stuck. Called by a worker (the check child has its own lesser form) before it parses
// anything, while it has one thread. Also the descriptor limit, which the supervisor raises before
// it starts workers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "common/base/result.h"

namespace servery {

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
};

// What this process is now: effective ids and every supplementary group.
Result<Identity> current_identity();

// As root: becomes `identity`. Always: no_new_privs, no capability in any set (uid 0 included: such
// a worker reads what root's ownership lets it read), not dumpable (no ptrace, no core, no
// /proc/PID/fd for others of the same user). Without root the identity must be current_identity().
Status drop_privileges(const Identity& identity);

// kInternal unless everything drop_privileges promises is so: ids, groups, empty capability sets,
// and that getting any of it back fails.
Status verify_privileges(const Identity& identity);

// For the check child, which must see what its user sees and change nothing: of the capabilities at
// most the one to read everything is kept; no_new_privs, not dumpable, and no byte can be written
// to a regular file.
Status limit_to_reading();

// Raises the soft descriptor limit to `wanted`, and the hard one where allowed; the limit in force.
Result<std::uint64_t> raise_descriptor_limit(std::uint64_t wanted);

}  // namespace servery
