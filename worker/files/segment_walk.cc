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

// Cuts the first segment off `path`, with the slashes behind it.
std::string_view cut_segment(std::string_view& path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(std::min(path.find_first_not_of('/', end), path.size()));
  return segment;
}

// Between "/" and the root there are only names to compare: a link's text that climbs out of the
// root, or begins at "/", comes back in by the names of the root's own directories or not at all.
class Outside {
 public:
  explicit Outside(std::string_view place) {
    while (!place.empty()) {
      if (const std::string_view name = cut_segment(place); !name.empty()) names_.push_back(name);
    }
  }
  bool is_known() const { return !names_.empty(); }
  bool is_here() const { return is_here_; }
  void start_at_top() { enter_at(0); }
  void start_above_root() { enter_at(names_.size() - 1); }
  // False where the step leads away.
  bool step(std::string_view segment) {
    if (segment.empty() || segment == ".") return true;
    if (segment == "..") {
      depth_ -= depth_ > 0 ? 1 : 0;
      return true;
    }
    if (segment != names_[depth_]) return false;
    is_here_ = ++depth_ < names_.size();
    return true;
  }

 private:
  void enter_at(std::size_t depth) {
    is_here_ = true;
    depth_ = depth;
  }

  std::vector<std::string_view> names_;
  std::size_t depth_ = 0;  // less than the number of names while here
  bool is_here_ = false;
};

class Walk {
 public:
  Walk(const WalkRoot& root, int flags, bool follow_links)
      : root_(root), outside_(root.place), flags_(flags), follow_links_(follow_links) {}

  int open(std::string path) {
    rest_ = std::move(path);
    while (true) {
      const std::string segment = take_segment();
      if (outside_.is_here()) {
        if (!outside_.step(segment)) return refuse(EXDEV);
      } else if (segment == "..") {
        if (!climb()) return refuse(EXDEV);
      } else if (!segment.empty() && segment != ".") {
        if (const int result = enter(segment); result != kGoOn) return result;
        continue;
      }
      if (rest_.empty()) return outside_.is_here() ? refuse(EXDEV) : reopen_here();
    }
  }

 private:
  static constexpr int kGoOn = -2;

  int here() const { return held_.empty() ? root_.fd : held_.back().get(); }

  std::string take_segment() {
    std::string_view rest = rest_;
    std::string segment(cut_segment(rest));
    must_be_directory_ = segment.size() < rest_.size();
    rest_.erase(0, rest_.size() - rest.size());
    return segment;
  }

  bool climb() {
    if (!held_.empty()) {
      held_.pop_back();
      return true;
    }
    if (!outside_.is_known()) return false;
    outside_.start_above_root();
    return true;
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
    std::string_view text(target.data(), static_cast<std::size_t>(size));
    if (text.front() == '/' && !start_over(text)) return refuse(EXDEV);
    rest_ = std::string(text) + (must_be_directory_ ? "/" : "") + rest_;
    return rest_.size() < PATH_MAX ? kGoOn : refuse(ENAMETOOLONG);
  }

  // For a text that begins at "/": goes to the root, if it is named, or to "/". What is left of
  // `text` is relative to that.
  bool start_over(std::string_view& text) {
    held_.clear();
    if (text.starts_with(root_.name) && !root_.name.empty() &&
        (text.size() == root_.name.size() || text[root_.name.size()] == '/')) {
      text.remove_prefix(root_.name.size());
    } else if (outside_.is_known()) {
      outside_.start_at_top();
    } else {
      return false;
    }
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    return true;
  }

  const WalkRoot& root_;
  Outside outside_;
  int flags_;
  bool follow_links_;
  std::vector<UniqueFd> held_;  // the directories from the root down, each beneath the one before
  std::string rest_;
  bool must_be_directory_ = false;  // a slash followed the segment taken last
  int links_ = 0;
};

}  // namespace

int open_by_segments(const WalkRoot& root, const char* path, int flags, bool follow_links) {
  return Walk(root, flags, follow_links).open(path);
}

}  // namespace servery::files
