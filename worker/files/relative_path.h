// A request path as a name below a root: the one place where a decoded path becomes something a
// system call may see. A value on the stack (4 KiB, no allocation); any thread.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <string_view>

namespace servery::files {

enum class HiddenNames { kDeny, kAllow };

class RelativePath {
 public:
  // False if no file can have this name or it must not be seen: a NUL, a `..` segment, a name
  // longer than the kernel takes, a hidden segment (`.well-known` excepted, RFC 8615).
  bool assign(std::string_view path, HiddenNames hidden);
  // `name` inside the directory that is named now. False if it gets too long.
  bool enter(std::string_view name);
  void truncate(std::size_t size);

  const char* c_str() const { return text_.data(); }  // "." for the root itself
  std::string_view view() const { return {text_.data(), size_}; }
  std::size_t size() const { return size_; }
  bool names_directory() const { return size_ == 0 || text_[size_ - 1] == '/'; }

 private:
  void terminate();

  std::size_t size_ = 0;
  std::array<char, PATH_MAX> text_;
};

}  // namespace servery::files
