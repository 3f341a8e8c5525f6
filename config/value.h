// One value of the schema, both ways: a YAML node into the field of its row, checked against type,
// bounds and form; a field into one line of YAML. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/document.h"
#include "config/schema.h"

namespace servery {

struct ValueFault {
  Position position;
  std::string reason;  // "wrong_type", "out_of_range", "unknown_value", "invalid_value", ...
  std::string message;
  std::string suggestion;
};

// Stores the value unless there is a fault. Relative paths start at `base`, an absolute directory.
std::vector<ValueFault> read_value(const Row& row, const Node& node, Target& target,
                                   std::string_view base);

// `path` below `base` unless absolute; without "." segments, doubled and trailing slashes. ".."
// stays: what it means depends on links.
std::string absolute_path(std::string_view path, std::string_view base);

}  // namespace servery
