// How long processes have run, from the scheduler: nanoseconds, over all threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace servery::bench {

// Sum over /proc/PID/task/*/schedstat; processes that are gone count as nothing.
std::uint64_t run_time_ns(const std::vector<pid_t>& pids);

}  // namespace servery::bench
