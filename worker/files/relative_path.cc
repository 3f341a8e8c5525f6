#include "worker/files/relative_path.h"

#include <cstring>

namespace servery::files {
namespace {

constexpr std::string_view kWellKnown = ".well-known";

bool is_allowed_segment(std::string_view segment, HiddenNames hidden) {
  if (segment.size() > NAME_MAX || segment == "..") return false;
  if (segment.empty() || segment.front() != '.') return true;
  return hidden == HiddenNames::kAllow || segment == kWellKnown;
}

bool has_allowed_segments(std::string_view path, HiddenNames hidden) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const void* slash = std::memchr(path.data() + begin, '/', path.size() - begin);
    const std::size_t end =
        slash == nullptr ? path.size()
                         : static_cast<std::size_t>(static_cast<const char*>(slash) - path.data());
    if (!is_allowed_segment(path.substr(begin, end - begin), hidden)) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

bool RelativePath::assign(std::string_view path, HiddenNames hidden) {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  if (path.size() + 1 >= text_.size()) return false;
  if (!path.empty() && std::memchr(path.data(), '\0', path.size()) != nullptr) return false;
  if (!path.empty() && !has_allowed_segments(path, hidden)) return false;
  if (!path.empty()) std::memcpy(text_.data(), path.data(), path.size());
  size_ = path.size();
  terminate();
  return true;
}

bool RelativePath::enter(std::string_view name) {
  const bool needs_slash = !names_directory();
  if (size_ + (needs_slash ? 1 : 0) + name.size() + 1 >= text_.size()) return false;
  if (needs_slash) text_[size_++] = '/';
  std::memcpy(text_.data() + size_, name.data(), name.size());
  size_ += name.size();
  terminate();
  return true;
}

void RelativePath::truncate(std::size_t size) {
  size_ = size;
  terminate();
}

// The root itself is "." to the kernel, though view() stays empty.
void RelativePath::terminate() {
  if (size_ == 0) text_[0] = '.';
  text_[size_ == 0 ? 1 : size_] = '\0';
}

}  // namespace servery::files
