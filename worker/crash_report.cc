#include "worker/crash_report.h"

#include <execinfo.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <span>

namespace servery {
namespace {

constexpr int kMaxFrames = 64;
constexpr int kPatienceMs = 100;
constexpr std::size_t kPiece = 4096;

std::atomic<const WorkerPage*> report_page{nullptr};
alignas(16) std::array<char, 64 * 1024> handler_stack;  // a stack overflow is reported too

// Async-signal-safe text building.
class Line {
 public:
  Line& text(const char* words) {
    while (*words != '\0' && size_ < bytes_.size()) bytes_[size_++] = *words++;
    return *this;
  }
  Line& number(std::uint64_t value, unsigned base) {
    char digits[24];
    std::size_t count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value > 0);
    while (count > 0 && size_ < bytes_.size()) bytes_[size_++] = digits[--count];
    return *this;
  }
  std::span<const char> bytes() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 160> bytes_{};
  std::size_t size_ = 0;
};

// False: stderr takes nothing, and a process that ends waits for nobody. A pipe that is writable
// takes PIPE_BUF bytes at once.
bool write_to_stderr(std::span<const char> bytes) {
  static_assert(kPiece <= PIPE_BUF);
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, kPatienceMs) <= 0 || (ready.revents & POLLOUT) == 0) return false;
  return ::write(STDERR_FILENO, bytes.data(), bytes.size()) >= 0;
}

// The library writes frame by frame and would wait at each: into memory first.
void write_backtrace() {
  std::array<void*, kMaxFrames> frames;
  const int count = ::backtrace(frames.data(), kMaxFrames);
  const int memory = ::memfd_create("servery-backtrace", MFD_CLOEXEC);
  if (memory < 0) return;
  ::backtrace_symbols_fd(frames.data(), count, memory);
  std::array<char, kPiece> piece;
  off_t offset = 0;
  ssize_t size = 0;
  while ((size = ::pread(memory, piece.data(), piece.size(), offset)) > 0) {
    if (!write_to_stderr({piece.data(), static_cast<std::size_t>(size)})) break;
    offset += size;
  }
}

void report(int signal) {
  const WorkerPage* page = report_page.load(std::memory_order_relaxed);
  Line line;
  line.text("worker_crash pid=").number(static_cast<std::uint64_t>(::getpid()), 10);
  line.text(" signal=").number(static_cast<std::uint64_t>(signal), 10).text(" request=");
  line.number(page ? page->request_hash.load(std::memory_order_relaxed) : 0, 16).text("\n");
  if (write_to_stderr(line.bytes())) write_backtrace();
  ::raise(signal);  // SA_RESETHAND: the default action, once this handler returns
}

}  // namespace

void install_crash_report() {
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);  // loads the unwinder now: the handler must not allocate
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = report;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    ::sigaction(signal, &action, nullptr);
  }
}

void set_crash_report_page(const WorkerPage* page) {
  report_page.store(page, std::memory_order_relaxed);
}

}  // namespace servery
