// What /proc says about a process: its scheduling state, CPU time and memory. Plain reads; any
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace servery {

struct ProcessStat {
  char state = '?';  // as ps prints it; 'T' is stopped
  double cpu_seconds = 0;
  std::uint64_t rss_bytes = 0;
};

// nullopt: no such process.
std::optional<ProcessStat> read_process_stat(pid_t pid);

// Out-of-memory kills the kernel has counted in this process's cgroup (v2); 0 where it does not
// say.
std::uint64_t cgroup_oom_kills();
// The same from the text of a memory.events file.
std::uint64_t parse_oom_kills(std::string_view memory_events);

}  // namespace servery
