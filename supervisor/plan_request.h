// `servery plan`: what a reload would do now, without doing any of it. Runs its own check child and
// compares the answer with what serves. Owned by the Supervisor until it has answered; its loop.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "supervisor/config_check.h"
#include "supervisor/control_server.h"
#include "supervisor/fleet.h"
#include "supervisor/listeners.h"

namespace servery {

class PlanRequest {
 public:
  // `done`: answered; the PlanRequest may be destroyed at the end of the turn.
  PlanRequest(const Fleet& fleet, const Listeners& listeners, ControlReply reply,
              std::function<void(PlanRequest&)> done)
      : fleet_(fleet), listeners_(listeners), reply_(std::move(reply)), done_(std::move(done)) {}

  // `inputs`: encoded.
  Status begin(Loop& loop, const Executable& executable, const std::string& inputs);
  void fail(const Error& error);
  bool on_child_exit(pid_t pid, int wait_status);

 private:
  void on_plan(Result<Plan> plan);

  const Fleet& fleet_;
  const Listeners& listeners_;
  ControlReply reply_;
  std::function<void(PlanRequest&)> done_;
  UniqueFd inputs_;
  std::unique_ptr<ConfigCheck> check_;
};

// The answer: {"verdict", "tier", "changes", "listeners", "workers", "connections", "problems"}.
// `current`: what serves now, nullptr for nothing.
Json plan_answer(const Plan& plan, const Generation* current, const Listeners& listeners);

}  // namespace servery
