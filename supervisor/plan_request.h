// `servery plan`: what a reload would do now, without doing any of it. Runs its own check child and
// compares the answer with what serves. Owned by PlanRequests until it has answered; supervisor's
// loop.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "supervisor/config_check.h"
#include "supervisor/control_server.h"
#include "supervisor/fleet.h"
#include "supervisor/listeners.h"

namespace servery {

class PlanRequest {
 public:
  // `done`: answered; the PlanRequest may be destroyed at the end of the turn.
  PlanRequest(const Fleet& fleet, const Listeners& listeners, std::uint32_t most_workers,
              ControlReply reply, std::function<void(PlanRequest&)> done)
      : fleet_(fleet),
        listeners_(listeners),
        most_workers_(most_workers),
        reply_(std::move(reply)),
        done_(std::move(done)) {}

  // `inputs`: encoded.
  Status begin(Loop& loop, const Executable& executable, const std::string& inputs);
  void fail(const Error& error);
  bool on_child_exit(pid_t pid, int wait_status);

 private:
  void on_plan(Result<Plan> plan);

  const Fleet& fleet_;
  const Listeners& listeners_;
  std::uint32_t most_workers_;
  ControlReply reply_;
  std::function<void(PlanRequest&)> done_;
  UniqueFd inputs_;
  std::unique_ptr<ConfigCheck> check_;
};

// All under way; a few at once, the rest are refused.
class PlanRequests {
 public:
  PlanRequests(Loop& loop, const Executable& executable, const Fleet& fleet,
               const Listeners& listeners)
      : loop_(loop), executable_(executable), fleet_(fleet), listeners_(listeners) {}

  // `inputs`: encoded, or why they could not be read.
  void begin(const tl::expected<std::string, Problem>& inputs, std::uint32_t most_workers,
             ControlReply reply);
  // False: not one of their check children.
  bool on_child_exit(pid_t pid, int wait_status);

 private:
  static constexpr std::size_t kMaxAtOnce = 4;

  void forget(PlanRequest& done);

  Loop& loop_;
  const Executable& executable_;
  const Fleet& fleet_;
  const Listeners& listeners_;
  std::vector<std::unique_ptr<PlanRequest>> requests_;
};

struct PlanAnswer {
  int exit_code = 0;
  // {"verdict", "problems", "tier", "changes", "listeners", "workers", "connections"}; of an
  // invalid input the first two. The verdict is "ok", or the one a reload would have now.
  Json text;
};

// `most_workers`: more need a restart. `current`: what serves now, nullptr for nothing.
PlanAnswer plan_answer(Plan plan, std::uint32_t most_workers, const Generation* current,
                       const Listeners& listeners);

}  // namespace servery
