#include "worker/body/file_source.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace servery::body {
namespace {

constexpr std::size_t kWindow = 1024 * 1024;  // made resident at once
constexpr std::size_t kStage = 128 * 1024;    // read at once where residency cannot be asked
constexpr Milliseconds kRetry{10};

// pread until `size` bytes or the file's end; -1 on an error.
ssize_t read_fully(int fd, char* into, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd, into + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

// What the pool works on.
struct FileSource::Window {
  std::shared_ptr<const UniqueFd> file;
  std::uint64_t offset = 0;
  std::size_t size = 0;
  bool stage = false;   // keep the bytes in `bytes`
  bool failed = false;  // by a read error
  std::string bytes;
  std::size_t used = 0;

  void load() {
    if (stage) {
      bytes.resize(size);
      const ssize_t n = read_fully(file->get(), bytes.data(), size, offset);
      failed = n < 0;
      bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
      return;
    }
    ::posix_fadvise(file->get(), static_cast<off_t>(offset), static_cast<off_t>(size),
                    POSIX_FADV_WILLNEED);
    static thread_local std::array<char, 64 * 1024> dropped;
    for (std::size_t done = 0; done < size && !failed;) {
      const std::size_t piece = std::min(size - done, dropped.size());
      const ssize_t n = read_fully(file->get(), dropped.data(), piece, offset + done);
      failed = n < 0;
      if (n < static_cast<ssize_t>(piece)) break;
      done += piece;
    }
  }
};

FileSource::FileSource(Loop& loop, BlockingPool& pool, std::shared_ptr<const UniqueFd> file,
                       std::uint64_t offset, std::uint64_t length)
    : loop_(loop),
      pool_(pool),
      length_(length),
      offset_(offset),
      left_(length),
      window_(std::make_shared<Window>()) {
  window_->file = std::move(file);
}

FileSource::~FileSource() = default;

FileSource::Pull FileSource::pull(std::span<char> into) {
  if (left_ == 0) return {State::kEnd, 0};
  if (window_->failed) return {State::kError, 0};
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_)));
  return reads_inline_ ? pull_resident(into) : pull_staged(into);
}

FileSource::Pull FileSource::pull_resident(std::span<char> into) {
  const iovec part{into.data(), into.size()};
  while (true) {
    const ssize_t n =
        ::preadv2(window_->file->get(), &part, 1, static_cast<off_t>(offset_), RWF_NOWAIT);
    if (n > 0) {
      window_fresh_ = false;
      return give(static_cast<std::size_t>(n));
    }
    if (n == 0) return {State::kError, 0};  // truncated
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EOPNOTSUPP) return {State::kError, 0};
    // Still not resident right after the pool read it: this file system never says so.
    if (errno == EOPNOTSUPP || window_fresh_) {
      reads_inline_ = false;
      return pull_staged(into);
    }
    return ask_pool();
  }
}

FileSource::Pull FileSource::pull_staged(std::span<char> into) {
  Window& window = *window_;
  if (window.used < window.bytes.size()) {
    const std::size_t n = std::min(into.size(), window.bytes.size() - window.used);
    std::memcpy(into.data(), window.bytes.data() + window.used, n);
    window.used += n;
    return give(n);
  }
  if (window_fresh_ && window.stage) return {State::kError, 0};  // nothing came: truncated
  return ask_pool();
}

FileSource::Pull FileSource::give(std::size_t bytes) {
  offset_ += bytes;
  left_ -= bytes;
  window_fresh_ = false;
  return {State::kBytes, bytes};
}

bool FileSource::take_back(std::size_t bytes) {
  offset_ -= bytes;
  left_ += bytes;
  if (!reads_inline_) window_->used -= bytes;
  return true;
}

FileSource::Pull FileSource::ask_pool() {
  window_->offset = offset_;
  window_->stage = !reads_inline_;
  window_->size =
      static_cast<std::size_t>(std::min<std::uint64_t>(left_, reads_inline_ ? kWindow : kStage));
  window_->bytes.clear();
  window_->used = 0;
  auto job = pool_.run(
      Lane::kBulk, [window = window_] { window->load(); }, [this] { on_window(); });
  if (job) {
    job_ = std::move(*job);
  } else {
    retry_.emplace(loop_, [this] { waiter_->on_source_ready(); });
    retry_->start_once(kRetry);
  }
  return {State::kPending, 0};
}

void FileSource::on_window() {
  window_fresh_ = true;
  waiter_->on_source_ready();  // may destroy this
}

}  // namespace servery::body
