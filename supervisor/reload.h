// One reload, or the first start, from its inputs to its verdict (docs/life-of-a-reload.md). Owned
// by the Supervisor while it is under way; supervisor's loop.
//
//   checking --plan--> starting --all prepared, commit--> settling --all ready--> retiring --> done
//      |                   |  bind, workers                  |  (never back)         |  old ones
//      +------ failure ----+--> rolled back: new workers leave, what was bound is closed   stop
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/loop/timer.h"
#include "supervisor/config_check.h"
#include "supervisor/generation.h"
#include "supervisor/listeners.h"
#include "supervisor/verdict.h"

namespace servery {

// What a reload needs of the supervisor. Called from the loop, never from inside a Reload method
// but begin() and the on_ ones.
class ReloadHost {
 public:
  virtual ~ReloadHost() = default;
  virtual void on_reload_begin() = 0;
  virtual void on_reload_superseded() = 0;
  // More need a restart.
  virtual std::uint32_t most_workers() const = 0;
  // The plan is valid. May it be run by this process? An error is the verdict (kInvalid: exit 2).
  virtual Status admit(const Plan& plan) = 0;
  virtual Result<Generation*> add_generation(Plan plan, UniqueFd inputs) = 0;
  // The new generation accepts: it is the current one now, what the old ones have and it has not
  // leaves, and the old ones stop accepting.
  virtual void replace_current(Generation& generation) = 0;
  // No old generation accepts any more (on what stays).
  virtual bool old_stopped_accepting() const = 0;
  virtual Generation* current_generation() const = 0;
  // The last call; the Reload may be destroyed at the end of the turn.
  virtual void on_reload_done(Verdict verdict) = 0;
};

struct ReloadParts {
  Loop& loop;
  const Clock& clock;
  const Executable& executable;
  Listeners& listeners;
};

class Reload {
 public:
  Reload(const ReloadParts& parts, ReloadHost& host);

  // `inputs`: encoded; `problem`: why they could not be read.
  void begin(const std::string& inputs);
  void refuse(Problem problem);
  void refuse(const Error& error);  // before begin()

  // From the generation it started (others are ignored where they do not matter).
  void on_prepared(Generation& generation);
  void on_failed(Generation& generation, const std::string& reason);
  void on_workers_changed();
  // The service stops: before the commit rolls back, after it there is nothing to wait for.
  void cancel(const std::string& reason);
  // False: not its check child.
  bool on_child_exit(pid_t pid, int wait_status);

  Generation* generation() const { return generation_; }
  bool is_committed() const { return stage_ == Stage::kSettling || stage_ == Stage::kRetiring; }

 private:
  enum class Stage { kChecking, kStarting, kSettling, kRetiring, kDone };

  void on_plan(Result<Plan> plan);
  void start(Plan plan);
  void commit();
  void retire_old();
  void roll_back(Verdict::Kind kind, std::vector<Problem> problems);
  void finish(Verdict::Kind kind, std::vector<Problem> problems = {});
  void on_patience_over();

  ReloadParts parts_;
  ReloadHost& host_;
  const SteadyTime began_;
  Stage stage_ = Stage::kChecking;
  ReloadTier tier_ = ReloadTier::kGeneration;
  UniqueFd inputs_;
  std::unique_ptr<ConfigCheck> check_;
  bool listeners_prepared_ = false;
  Generation* generation_ = nullptr;
  Timer patience_;  // settling, retiring: how long to wait for what normally takes milliseconds
};

}  // namespace servery
