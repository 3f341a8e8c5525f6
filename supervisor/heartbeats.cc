#include "supervisor/heartbeats.h"

#include <string_view>

#include "common/base/log.h"

namespace servery {
namespace {

void report(const WorkerProcess& worker, log::Level level, std::string_view event) {
  log::write(level, event, {{"pid", worker.pid()}, {"slot", worker.slot()}});
}

}  // namespace

bool watch_heartbeats(const std::vector<std::unique_ptr<WorkerProcess>>& workers,
                      const RuntimeSettings& runtime, SharedMemory& memory, SteadyTime now,
                      Milliseconds own_gap) {
  const HangWatch::Limits limits{runtime.heartbeat.suspect, runtime.heartbeat.warn,
                                 runtime.heartbeat.abort};
  bool changed = false;
  for (const auto& worker : workers) {
    switch (worker->observe(now, limits, own_gap)) {
      case HangWatch::Verdict::kNone:
        continue;
      case HangWatch::Verdict::kSuspect:
        memory.add(Metric::kSuspects);
        report(*worker, log::Level::kInfo, "worker_suspect");
        break;
      case HangWatch::Verdict::kWarn:
        report(*worker, log::Level::kWarning, "worker_silent");
        break;
      case HangWatch::Verdict::kRecovered:
        report(*worker, log::Level::kInfo, "worker_recovered");
        break;
      case HangWatch::Verdict::kAbort:
        worker->condemn(runtime.force_timeout);
        break;
    }
    changed = true;
  }
  return changed;
}

}  // namespace servery
