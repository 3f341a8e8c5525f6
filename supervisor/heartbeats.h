// The workers of a generation under the eyes of their HangWatch: who is silent is reported, given
// up on, or welcomed back. Supervisor's loop.
#pragma once

#include <memory>
#include <vector>

#include "supervisor/worker_process.h"

namespace servery {

// Once a tick. `own_gap`: how much later than planned it comes. True: somebody's state has changed.
bool watch_heartbeats(const std::vector<std::unique_ptr<WorkerProcess>>& workers,
                      const RuntimeSettings& runtime, SharedMemory& memory, SteadyTime now,
                      Milliseconds own_gap);

}  // namespace servery
