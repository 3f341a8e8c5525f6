#include "supervisor/process_stat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text.h"
#include "common/base/unique_fd.h"

namespace servery {
namespace {

std::optional<std::string> read_small_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  if (got <= 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<std::size_t>(got));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// The cgroup v2 directory of this process: the line "0::/PATH".
std::optional<std::string> own_cgroup() {
  const auto text = read_small_file("/proc/self/cgroup");
  if (!text) return std::nullopt;
  for (std::string_view line : split(*text, '\n')) {
    if (line.substr(0, 3) == "0::") return "/sys/fs/cgroup" + std::string(line.substr(3));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProcessStat> read_process_stat(pid_t pid) {
  const auto text = read_small_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  // "PID (NAME) STATE ...": the name may hold anything, so look for its last parenthesis.
  const std::size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  const auto words = split(std::string_view(*text).substr(name_end + 2), ' ');
  constexpr std::size_t kState = 0, kUserTime = 11, kSystemTime = 12, kRss = 21;  // proc(5), from 3
  if (words.size() <= kRss || words[kState].empty()) return std::nullopt;
  ProcessStat stat;
  stat.state = words[kState].front();
  const std::uint64_t ticks = parse_unsigned<std::uint64_t>(words[kUserTime]).value_or(0) +
                              parse_unsigned<std::uint64_t>(words[kSystemTime]).value_or(0);
  stat.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  stat.rss_bytes = parse_unsigned<std::uint64_t>(words[kRss]).value_or(0) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return stat;
}

std::uint64_t cgroup_oom_kills() {
  const auto directory = own_cgroup();
  if (!directory) return 0;
  return parse_oom_kills(read_small_file(*directory + "/memory.events").value_or(""));
}

std::uint64_t parse_oom_kills(std::string_view memory_events) {
  constexpr std::string_view kKey = "oom_kill ";
  for (std::string_view line : split(memory_events, '\n')) {
    if (line.substr(0, kKey.size()) != kKey) continue;
    return parse_unsigned<std::uint64_t>(line.substr(kKey.size())).value_or(0);
  }
  return 0;
}

}  // namespace servery
