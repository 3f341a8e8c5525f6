#include "config/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "common/base/text.h"

namespace servery {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// quota / period rounded up; nullopt without a limit ("max", -1) or for anything unreadable.
std::optional<std::uint64_t> quota_cpus(std::string_view quota, std::string_view period) {
  const auto time = parse_unsigned<std::uint64_t>(quota);
  const auto span = parse_unsigned<std::uint64_t>(period);
  if (!time || !span || *span == 0) return std::nullopt;
  return std::max<std::uint64_t>(1, *time / *span + (*time % *span == 0 ? 0 : 1));
}

std::optional<std::uint64_t> quota_v2(const std::string& directory) {
  const auto line = first_line(directory + "/cpu.max");
  if (!line) return std::nullopt;
  std::istringstream words(*line);
  std::string quota;
  std::string period;
  words >> quota >> period;
  return quota_cpus(quota, period);
}

std::optional<std::uint64_t> quota_v1(const std::string& directory) {
  const auto quota = first_line(directory + "/cpu.cfs_quota_us");
  const auto period = first_line(directory + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return quota_cpus(*quota, *period);
}

struct Membership {
  bool v2 = false;
  std::string path;  // of the process's group in that hierarchy
};

// Lines "ID:CONTROLLERS:PATH" of /proc/self/cgroup (cgroups(7)); v2 is the one with ID 0 and no
// controllers.
std::vector<Membership> memberships(const std::string& system_root) {
  std::vector<Membership> out;
  std::ifstream file(system_root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") out.push_back({true, path});
    if (controllers.find(",cpu,") != std::string::npos) out.push_back({false, path});
  }
  return out;
}

// Calls `visit` with the group's directory and each one above it, up to the mount.
template <typename Visit>
void walk_up(const std::string& mount, std::string path, Visit visit) {
  while (!path.empty() && path != "/") {
    visit(mount + path);
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
  visit(mount);
}

}  // namespace

std::uint32_t usable_cpus(std::uint32_t affinity_cpus, const std::string& system_root) {
  std::uint64_t cpus = std::max<std::uint64_t>(1, affinity_cpus);
  const auto apply = [&cpus](std::optional<std::uint64_t> quota) {
    if (quota) cpus = std::min(cpus, *quota);
  };
  const std::string cgroup = system_root + "/sys/fs/cgroup";
  for (const Membership& membership : memberships(system_root)) {
    if (membership.v2) {
      // A hybrid system mounts v2 at "unified", without the cpu controller; a pure one at the top.
      walk_up(cgroup, membership.path, [&](const std::string& path) { apply(quota_v2(path)); });
      continue;
    }
    for (const char* controller : {"/cpu", "/cpu,cpuacct"}) {
      walk_up(cgroup + controller, membership.path,
              [&](const std::string& path) { apply(quota_v1(path)); });
    }
  }
  return static_cast<std::uint32_t>(cpus);
}

std::uint32_t affinity_cpus() {
  // Larger than the static set, for machines with more than 1024 CPUs.
  for (std::size_t count = CPU_SETSIZE; count <= 65'536; count *= 2) {
    cpu_set_t* set = CPU_ALLOC(count);
    if (set == nullptr) return 1;
    const std::size_t size = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(size, set);
    const int result = sched_getaffinity(0, size, set);
    const int cpus = result == 0 ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (cpus > 0) return static_cast<std::uint32_t>(cpus);
  }
  return 1;
}

}  // namespace servery
