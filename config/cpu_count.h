// `workers: auto`: how many CPUs this process may use. Reads /proc and cgroup files (v2 and v1);
// run by the check child.
#pragma once

#include <cstdint>
#include <string>

namespace servery {

// min(CPUs of the affinity mask, cgroup quota rounded up), at least 1. The quota is the smallest
// one set on the way from the process's cgroup up to the top of what is mounted. `system_root` is
// put in front of /proc and /sys.
std::uint32_t usable_cpus(std::uint32_t affinity_cpus, const std::string& system_root = {});
// CPUs of the calling thread's affinity mask.
std::uint32_t affinity_cpus();

}  // namespace servery
