#include "bench/load/run_time.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace servery::bench {

std::uint64_t run_time_ns(const std::vector<pid_t>& pids) {
  std::uint64_t total = 0;
  for (const pid_t pid : pids) {
    std::error_code gone;
    const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(tasks, gone)) {
      std::uint64_t nanoseconds = 0;
      if (std::ifstream(task.path() / "schedstat") >> nanoseconds) total += nanoseconds;
    }
  }
  return total;
}

}  // namespace servery::bench
