#include "common/base/stderr_text.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace servery {
namespace {

std::atomic<std::uint64_t> dropped{0};

// A pipe that polls as writable has room for PIPE_BUF bytes, more than a line has. O_NONBLOCK would
// be seen by everybody who shares the open file.
bool is_writable() {
  pollfd poll_fd{STDERR_FILENO, POLLOUT, 0};
  int ready;
  do {
    ready = ::poll(&poll_fd, 1, 0);
  } while (ready < 0 && errno == EINTR);
  return ready == 1 && (poll_fd.revents & POLLOUT) != 0;
}

bool write_now(std::string_view text) {
  ssize_t written;
  do {
    written = ::write(STDERR_FILENO, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written >= 0;
}

}  // namespace

void write_stderr(std::string_view text) {
  if (!is_writable() || !write_now(text)) dropped.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t dropped_stderr_texts() { return dropped.load(std::memory_order_relaxed); }

}  // namespace servery
