// The field of a row as one line of YAML, and what the row allows in words: for `servery config`,
// reload differences, messages and documents. Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/schema.h"

namespace servery {

std::string write_value(const Row& row, Target& target);
// A plain word if YAML reads it back as this very text, else a double-quoted scalar.
std::string quote_yaml(std::string_view text);

// "1 to 1024", "1KiB to 1MiB", "deny, list, allow": what a row allows, for messages and documents.
std::string describe_bounds(const Row& row);

// Whether YAML 1.2 reads the text, unquoted, as something else than text.
bool looks_typed(std::string_view text);

}  // namespace servery
