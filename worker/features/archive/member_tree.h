// What an archive holds: a directory and everything chosen beneath it, parents before children, as
// it was when it was looked at. Compact (80 bytes and the name), because a tree may have hundreds
// of thousands of members. A plain value; used on pool threads, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/files/file_identity.h"

namespace servery::archive {

// A member as the formats see it.
struct Member {
  std::string_view path = {};  // inside the archive; directories end with '/'
  bool is_directory = false;
  bool is_executable = false;
  std::uint64_t size = 0;  // 0 for directories
  std::int64_t mtime = 0;  // Unix seconds
};

struct Node {
  files::FileIdentity identity = {};
  std::uint64_t begin = 0;  // of its header in the archive; the layout's
  std::uint32_t parent = 0;
  std::uint32_t name_begin = 0;
  std::uint32_t crc = 0;
  std::uint16_t name_size = 0;
  bool is_directory = false;
  bool is_executable = false;
  bool has_crc = false;

  std::uint64_t size() const { return is_directory ? 0 : identity.size; }
  std::int64_t mtime() const;  // floored
};

class MemberTree {
 public:
  static constexpr std::uint32_t kTop = 0;

  std::uint32_t add(std::uint32_t parent, std::string_view name, Node node) {
    node.parent = parent;
    node.name_begin = static_cast<std::uint32_t>(names_.size());
    node.name_size = static_cast<std::uint16_t>(name.size());
    names_ += name;
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  Node& operator[](std::uint32_t i) { return nodes_[i]; }
  const Node& operator[](std::uint32_t i) const { return nodes_[i]; }
  std::string_view name(std::uint32_t i) const {
    return std::string_view(names_).substr(nodes_[i].name_begin, nodes_[i].name_size);
  }
  // From the top, with its name; directories end with '/'.
  std::string path(std::uint32_t i) const;
  // Below the top: the file's path in the directory that is archived.
  std::string path_below_top(std::uint32_t i) const;
  // `path` is a loan: path(i), kept by the caller.
  Member member(std::uint32_t i, std::string_view path) const;

  std::size_t name_bytes() const { return names_.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::vector<Node> nodes_;
  std::string names_;
};

}  // namespace servery::archive
