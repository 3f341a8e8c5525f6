// Strict YAML text -> a small tree with positions; its source is the only includer of yaml-cpp.
// What the schema has no use for (anchors, aliases, merge keys, tags, several documents) is
// refused, and every size is bounded: bytes, depth, nodes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/plan.h"

namespace servery {

struct Position {
  std::uint32_t line = 0;  // 1-based; 0: none
  std::uint32_t column = 0;
};

struct Entry;

struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMap };
  Kind kind = Kind::kNull;
  Position position;
  bool quoted = false;         // kScalar
  std::string text;            // kScalar
  std::vector<Node> items;     // kSequence
  std::vector<Entry> entries;  // kMap; keys unique, in file order
};

struct Entry {
  std::string key;
  Position position;
  Node value;
};

inline constexpr std::size_t kMaxYamlDepth = 32;
inline constexpr std::size_t kMaxYamlNodes = 50'000;

struct Document {
  bool empty = true;  // no document in the text; `root` is then a null node
  Node root;
  std::vector<Problem> problems;  // without `file`
};

// After a syntax error there is no tree; a duplicate or refused node is left out of it.
Document parse_document(std::string_view text);

}  // namespace servery
