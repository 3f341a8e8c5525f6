#include "worker/features/archive/member_tree.h"

namespace servery::archive {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;

}  // namespace

std::int64_t Node::mtime() const {
  const std::int64_t seconds = identity.mtime_ns / kNanoseconds;
  return identity.mtime_ns % kNanoseconds < 0 ? seconds - 1 : seconds;
}

std::string MemberTree::path(std::uint32_t i) const {
  std::string text(name(kTop));
  text += '/';
  text += path_below_top(i);
  return text;
}

std::string MemberTree::path_below_top(std::uint32_t i) const {
  std::size_t size = 0;
  for (std::uint32_t at = i; at != kTop; at = nodes_[at].parent) size += name(at).size() + 1;
  std::string text(size, '/');
  for (std::uint32_t at = i; at != kTop; at = nodes_[at].parent) {
    size -= name(at).size() + 1;
    name(at).copy(text.data() + size, name(at).size());
  }
  if (!text.empty() && !nodes_[i].is_directory) text.pop_back();
  return text;
}

Member MemberTree::member(std::uint32_t i, std::string_view path) const {
  const Node& node = nodes_[i];
  return {.path = path,
          .is_directory = node.is_directory,
          .is_executable = node.is_executable,
          .size = node.size(),
          .mtime = node.mtime()};
}

}  // namespace servery::archive
