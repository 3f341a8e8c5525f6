// What `servery check`, `config` and `version` print. Human text or one JSON object; each returns
// the exit code of product.md.
#pragma once

#include <iosfwd>
#include <string>

#include "common/base/exit_code.h"
#include "config/cli.h"
#include "config/load.h"
#include "config/plan.h"

namespace servery {

// Full validation; every problem, one a line (stderr) or as JSON (stdout).
int run_check_command(const Command& command);
// The effective configuration as YAML, each value with its origin as a comment (stdout).
int run_config_command(const Command& command);
void print_version();

// The parts of the above, as text.
std::string effective_yaml(const Loaded& loaded);
// [{"key", "value", "origin"}], the values as the YAML has them.
Json effective_json(const Loaded& loaded);
Json check_report(const Plan& plan);  // {"verdict", "problems"}

}  // namespace servery
