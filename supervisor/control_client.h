// `servery reload | status | stop | plan`: finds the control socket, sends one request, waits,
// prints for people or as JSON, and returns the exit code of product.md (0 done, 1 failed, 2 input
// wrong, 3 no server there). A command-line role of its own; blocking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/result.h"

namespace servery {

enum class ControlCommand { kReload, kStatus, kStop, kPlan };

struct ControlRequest {
  ControlCommand command = ControlCommand::kStatus;
  bool json = false;
  std::string socket;  // path; see socket_given
  bool socket_given =
      false;                // by --control: only that one. Else the only live one in its directory
  std::string config_path;  // reload, plan: absolute; empty: the running file
  bool wait_drained = false;            // reload
  std::optional<Milliseconds> timeout;  // stop: then what is left is forced
};

int run_control_command(const ControlRequest& request);

// The live control sockets (*.sock) of a directory, sorted.
std::vector<std::string> live_control_sockets(const std::string& directory);

// The pieces of the above, for tests: the request line, and an answer as a person reads it.
Json control_message(const ControlRequest& request);
std::string format_status(const Json& status, bool colour);
std::string format_verdict(ControlCommand command, const Json& result, bool colour);

}  // namespace servery
