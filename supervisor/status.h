// `servery status --json` (docs/status-schema.md): one JSON object from what the supervisor knows.
// Reads shared memory and /proc, asks no worker: it answers while they are saturated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "supervisor/fleet.h"
#include "supervisor/listeners.h"
#include "supervisor/shared_memory.h"
#include "supervisor/slot_history.h"
#include "supervisor/verdict.h"

namespace servery {

enum class ServiceState { kStarting, kReady, kDegraded, kFailed, kStopping };
std::string_view service_state_name(ServiceState state);

struct StatusSources {
  const Clock& clock;
  SteadyTime started;
  std::string config_path;  // empty: quick mode
  bool stopping = false;
  const Fleet& fleet;
  const Listeners& listeners;
  const SharedMemory* memory = nullptr;  // nullptr before the first plan
  const std::vector<SlotHistory>& histories;
  const std::optional<Verdict>& last_reload;
};

// At least min_workers healthy workers in the current generation.
bool is_service_ready(const StatusSources& sources);
ServiceState service_state(const StatusSources& sources);
Json build_status(const StatusSources& sources);

}  // namespace servery
