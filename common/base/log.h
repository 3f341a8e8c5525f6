// Levelled diagnostic log: one line an event on stderr, `TIME LEVEL ROLE event key=value ...`.
// Any role and thread; a line leaves in one write(2), so processes do not tear each other's lines.
// A value is quoted and escaped when it holds anything but printable ASCII: no input can forge a
// line. Never on the request path of a successful request.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace servery::log {

enum class Level { kDebug, kInfo, kWarning, kError };

std::optional<Level> parse_level(std::string_view name);  // "debug", "info", "warning", "error"
std::string_view level_name(Level level);

// Process-wide, set once at start and at a reload from the main thread.
void set_level(Level level);
void set_role(std::string role);  // "supervisor", "worker 0", ...
bool enabled(Level level);

// A `key=value` of a line. Numbers, strings and durations are formatted by fmt.
class Field {
 public:
  template <typename T>
  Field(std::string_view key, const T& value) : key_(key), value_(fmt::format("{}", value)) {}

  std::string_view key() const { return key_; }
  const std::string& value() const { return value_; }

 private:
  std::string_view key_;
  std::string value_;
};

// `event` is a stable name in snake_case ("worker_ready"); a reason goes into a field.
void write(Level level, std::string_view event, std::initializer_list<Field> fields);
// The line as `write` would print it (tests; the time is passed in).
std::string format_line(std::string_view time, Level level, std::string_view role,
                        std::string_view event, std::initializer_list<Field> fields);

inline void debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kDebug, event, fields);
}
inline void info(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kInfo, event, fields);
}
inline void warning(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kWarning, event, fields);
}
inline void error(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::kError, event, fields);
}

}  // namespace servery::log
