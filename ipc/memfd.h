// Texts too large for a message, as sealed memfds: a fixed header (magic, layout version, size),
// then the bytes. Written once by the supervisor, sealed against any change, then readable by
// whoever is handed the descriptor. Both roles.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/base/unique_fd.h"

namespace servery::ipc {

// `name` shows in /proc/PID/fd only.
Result<UniqueFd> seal_text(const char* name, std::string_view text);
// Refuses a descriptor that is not sealed, has another layout, or holds more than `max` bytes.
Result<std::string> read_sealed_text(int fd, std::size_t max);

// Another descriptor for the same file, close-on-exec.
Result<UniqueFd> duplicate(int fd);

}  // namespace servery::ipc
