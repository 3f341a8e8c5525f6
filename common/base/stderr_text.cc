#include "common/base/stderr_text.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace servery {
namespace {

std::atomic<std::uint64_t> dropped{0};

// A pipe that polls as writable has room for PIPE_BUF bytes. O_NONBLOCK would be seen by everybody
// who shares the open file.
bool is_writable() {
  pollfd poll_fd{STDERR_FILENO, POLLOUT, 0};
  int ready;
  do {
    ready = ::poll(&poll_fd, 1, 0);
  } while (ready < 0 && errno == EINTR);
  return ready == 1 && (poll_fd.revents & POLLOUT) != 0;
}

bool write_now(std::string_view text) {
  while (!text.empty()) {
    if (!is_writable()) return false;
    const ssize_t written =
        ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void write_stderr(std::string_view text) {
  const std::uint64_t lost = dropped.exchange(0, std::memory_order_relaxed);
  if (lost > 0 && !write_now(fmt::format("servery: {} lines lost: stderr took none\n", lost))) {
    dropped.fetch_add(lost + 1, std::memory_order_relaxed);
  } else if (!write_now(text)) {
    dropped.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace servery
