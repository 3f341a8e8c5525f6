// Whom the workers are to become: user and group names -> ids and supplementary groups. Asks the
// name service, so it may block: check child only.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "config/plan.h"
#include "config/settings.h"

namespace servery {

struct IdentityResult {
  std::optional<PlanIdentity> identity;  // absent: nothing to change
  std::string reason;                    // not empty: a problem, at `key`
  std::string key;
  std::string message;
};

// `uid` and `gid` are the supervisor's. Only root can change user and group; asked for its own
// names anybody may run.
IdentityResult resolve_identity(const RuntimeSettings& runtime, uid_t uid, gid_t gid);

}  // namespace servery
