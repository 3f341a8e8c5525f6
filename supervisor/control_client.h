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
  std::string socket;                   // path
  bool socket_given = false;            // only that one; else the only live one of its directory
  std::string config_path;              // reload, plan: absolute; empty: the running file
  bool wait_drained = false;            // reload
  std::optional<Milliseconds> timeout;  // stop: then what is left is forced
  // Within so long a supervisor that lives says something, or answers a second client meanwhile.
  Milliseconds patience{5'000};
};

int run_control_command(const ControlRequest& request);

// The live control sockets (*.sock) of a directory, sorted.
std::vector<std::string> live_control_sockets(const std::string& directory);
// The request line for the server.
Json control_message(const ControlRequest& request);

}  // namespace servery
