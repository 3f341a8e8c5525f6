#include "worker/files/segment_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/unique_fd.h"

namespace servery::files {
namespace {

constexpr int kMaxLinks = 40;           // as the kernel
constexpr std::size_t kMaxDepth = 256;  // descriptors held at once

int refuse(int error_number) {
  errno = error_number;
  return -1;
}

class Walk {
 public:
  Walk(int root, int flags, bool follow_links)
      : root_(root), flags_(flags), follow_links_(follow_links) {}

  int open(std::string path) {
    rest_ = std::move(path);
    while (true) {
      const std::string segment = take_segment();
      if (segment.empty() || segment == ".") {
        if (rest_.empty()) return reopen_here();
        continue;
      }
      if (segment == "..") {
        if (held_.empty()) return refuse(EXDEV);
        held_.pop_back();
        if (rest_.empty()) return reopen_here();
        continue;
      }
      if (const int result = enter(segment); result != kGoOn) return result;
    }
  }

 private:
  static constexpr int kGoOn = -2;

  int here() const { return held_.empty() ? root_ : held_.back().get(); }

  // Cuts the next segment off rest_, with the slashes behind it.
  std::string take_segment() {
    const std::size_t end = std::min(rest_.find('/'), rest_.size());
    std::string segment = rest_.substr(0, end);
    must_be_directory_ = end < rest_.size();
    rest_.erase(0, std::min(rest_.find_first_not_of('/', end), rest_.size()));
    return segment;
  }

  int reopen_here() { return ::openat(here(), ".", flags_ | O_NOFOLLOW); }

  int enter(const std::string& segment) {
    UniqueFd step(::openat(here(), segment.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!step) return -1;
    struct stat seen {};
    if (::fstat(step.get(), &seen) != 0) return -1;
    if (S_ISLNK(seen.st_mode)) return follow(step.get());
    if (S_ISDIR(seen.st_mode)) {
      if (held_.size() == kMaxDepth) return refuse(ENAMETOOLONG);
      held_.push_back(std::move(step));
      return rest_.empty() ? reopen_here() : kGoOn;
    }
    if (must_be_directory_ || !rest_.empty()) return refuse(ENOTDIR);
    return ::openat(here(), segment.c_str(), flags_ | O_NOFOLLOW);
  }

  int follow(int link) {
    if (!follow_links_ || ++links_ > kMaxLinks) return refuse(ELOOP);
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(link, "", target.data(), target.size());
    if (size < 0) return -1;
    if (size == 0 || static_cast<std::size_t>(size) == target.size()) return refuse(ENOENT);
    if (target[0] == '/') return refuse(EXDEV);
    const std::string_view text(target.data(), static_cast<std::size_t>(size));
    rest_ = std::string(text) + (must_be_directory_ ? "/" : "") + rest_;
    return rest_.size() < PATH_MAX ? kGoOn : refuse(ENAMETOOLONG);
  }

  int root_;
  int flags_;
  bool follow_links_;
  std::vector<UniqueFd> held_;  // the directories from the root down, each beneath the one before
  std::string rest_;
  bool must_be_directory_ = false;  // a slash followed the segment taken last
  int links_ = 0;
};

}  // namespace

int open_by_segments(int root, const char* path, int flags, bool follow_links) {
  return Walk(root, flags, follow_links).open(path);
}

}  // namespace servery::files
