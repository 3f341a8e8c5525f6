#include "common/base/log.h"

#include <atomic>
#include <chrono>
#include <ctime>

#include "common/base/stderr_text.h"

namespace servery::log {
namespace {

std::atomic<Level> current_level{Level::kInfo};
std::string current_role = "servery";

bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (c <= ' ' || c > '~' || c == '"' || c == '\\' || c == '=') return false;
  }
  return true;
}

void append_value(std::string& out, std::string_view value) {
  if (is_plain(value)) {
    out += value;
    return;
  }
  out += '"';
  for (char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const std::time_t seconds = static_cast<std::time_t>(ms.count() / 1000);
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", tm.tm_year + 1900, tm.tm_mon + 1,
                     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ms.count() % 1000);
}

}  // namespace

std::optional<Level> parse_level(std::string_view name) {
  for (Level level : {Level::kDebug, Level::kInfo, Level::kWarning, Level::kError}) {
    if (level_name(level) == name) return level;
  }
  return std::nullopt;
}

std::string_view level_name(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "info";
}

void set_level(Level level) { current_level.store(level, std::memory_order_relaxed); }
void set_role(std::string role) { current_role = std::move(role); }
bool enabled(Level level) { return level >= current_level.load(std::memory_order_relaxed); }

std::string format_line(std::string_view time, Level level, std::string_view role,
                        std::string_view event, std::initializer_list<Field> fields) {
  std::string line = fmt::format("{} {} [{}] {}", time, level_name(level), role, event);
  for (const Field& field : fields) {
    line += ' ';
    line += field.key();
    line += '=';
    append_value(line, field.value());
  }
  line += '\n';
  return line;
}

void write(Level level, std::string_view event, std::initializer_list<Field> fields) {
  if (!enabled(level)) return;
  const std::string line = format_line(utc_now(), level, current_role, event, fields);
  write_stderr(line);
}

}  // namespace servery::log
