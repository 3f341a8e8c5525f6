// What a line on the control socket asks for. Pure: a JSON object in, a checked order out; a member
// that its command does not have is an error, so that no client believes in what is ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/result.h"

namespace servery {

struct ControlOrder {
  enum class Kind : std::uint8_t { kStatus, kPlan, kReload, kStop };
  Kind kind = Kind::kStatus;
  std::string config;                   // plan, reload: absolute path; empty: the running file
  bool wait_drained = false;            // reload
  std::optional<Milliseconds> timeout;  // stop
};

// `request`: an object with a string member `command`. kInvalid: what is wrong with it.
Result<ControlOrder> parse_control_order(const Json& request);

}  // namespace servery
