// What a flag of the command line sets: words of a shell as a key with a YAML value. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/inputs.h"
#include "config/schema.h"

namespace servery {

// `values`: one, or several for the flags that may be repeated. Flags of a route set the first one.
Overlay overlay_of(const Row& row, const std::vector<std::string>& values);
// Of the quick mode's route: asks for one of these USER:HASH.
std::vector<Overlay> overlays_of_users(const std::vector<std::string>& lines);

bool is_repeatable(const Row& row);

// A double-quoted YAML scalar. Bytes that are not UTF-8 stay as they are, for the loader to refuse.
std::string quoted_yaml_text(const std::string& text);

}  // namespace servery
