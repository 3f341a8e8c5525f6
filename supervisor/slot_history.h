// What is remembered about a worker place over worker deaths and generations: its restart policy
// and how its last worker ended. Owned by the supervisor, one per slot.
#pragma once

#include <cstdint>
#include <optional>

#include "supervisor/exit_reason.h"
#include "supervisor/restart_policy.h"

namespace servery {

struct SlotHistory {
  explicit SlotHistory(const RestartPolicy::Settings& settings) : policy(settings) {}

  RestartPolicy policy;
  std::uint32_t restarts = 0;  // workers started in place of one that ended unasked
  std::optional<LastExit> last_exit;
};

}  // namespace servery
