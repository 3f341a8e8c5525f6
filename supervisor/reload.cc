#include "supervisor/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "ipc/memfd.h"

namespace servery {
namespace {

// Old workers answer StopAccepting within a turn unless they hang.
constexpr Milliseconds kStopAcceptingPatience{2'000};

std::string first_problem(const std::vector<Problem>& problems) {
  if (problems.size() == 1) return format_problem(problems.front());
  return fmt::format("{} (and {} more)", format_problem(problems.front()), problems.size() - 1);
}

Verdict::Kind kind_of(const Error& error) {
  return error.code == Errc::kInvalid ? Verdict::Kind::kInvalid : Verdict::Kind::kRolledBack;
}

}  // namespace

Reload::Reload(const ReloadParts& parts, ReloadHost& host)
    : parts_(parts),
      host_(host),
      began_(parts.clock.steady()),
      patience_(parts.loop, [this] { on_patience_over(); }) {}

void Reload::begin(const std::string& inputs) {
  auto sealed = ipc::seal_text("servery-inputs", inputs);
  if (!sealed) return refuse(sealed.error());
  inputs_ = std::move(*sealed);
  const Generation* current = host_.current_generation();
  auto check = ConfigCheck::start(parts_.loop, parts_.executable, inputs_.get(),
                                  current ? current->inputs() : -1,
                                  [this](Result<Plan> plan) { on_plan(std::move(plan)); });
  if (!check) return refuse(check.error());
  check_ = std::move(*check);
}

void Reload::refuse(Problem problem) { roll_back(Verdict::Kind::kInvalid, {std::move(problem)}); }

void Reload::refuse(const Error& error) {
  roll_back(Verdict::Kind::kRolledBack, {problem_of(error)});
}

bool Reload::on_child_exit(pid_t pid, int wait_status) {
  if (!check_ || check_->pid() != pid) return false;
  check_->on_exit(wait_status);
  return true;
}

void Reload::on_plan(Result<Plan> plan) {
  parts_.loop.destroy_later(std::move(check_));  // this is its callback
  if (!plan) return roll_back(Verdict::Kind::kRolledBack, {problem_of(plan.error())});
  if (!plan->ok()) {
    return roll_back(Verdict::Kind::kInvalid, std::move(plan->problems));
  }
  start(std::move(*plan));
}

void Reload::start(Plan plan) {
  tier_ = ReloadTier::kGeneration;  // also without a difference
  require_restart_above(plan, host_.most_workers());
  if (plan.tier == ReloadTier::kRestart) {
    tier_ = plan.tier;
    return roll_back(Verdict::Kind::kRolledBack, restart_problems(plan, host_.most_workers()));
  }
  if (const Status admitted = host_.admit(plan); !admitted) {
    return roll_back(kind_of(admitted.error()), {problem_of(admitted.error())});
  }
  stage_ = Stage::kStarting;
  if (const Status bound = parts_.listeners.prepare(plan, plan.workers); !bound) {
    return roll_back(kind_of(bound.error()), {problem_of(bound.error())});
  }
  listeners_prepared_ = true;
  auto generation = host_.add_generation(std::move(plan), std::move(inputs_));
  if (!generation) return roll_back(Verdict::Kind::kRolledBack, {problem_of(generation.error())});
  generation_ = *generation;
  generation_->start();
}

void Reload::on_prepared(Generation& generation) {
  if (&generation == generation_ && stage_ == Stage::kStarting) commit();
}

void Reload::on_failed(Generation& generation, const std::string& reason) {
  if (&generation == generation_ && stage_ == Stage::kStarting) {
    roll_back(Verdict::Kind::kRolledBack, {problem_of("worker_failed", reason)});
  }
}

// listen() is its first act; from then on a worker that dies is replaced, never the reload undone.
void Reload::commit() {
  if (const Status listening = parts_.listeners.commit(); !listening) {
    return roll_back(Verdict::Kind::kRolledBack, {problem_of(listening.error())});
  }
  listeners_prepared_ = false;
  stage_ = Stage::kSettling;
  patience_.start_once(generation_->plan().runtime.start_timeout);
  generation_->serve();
}

void Reload::on_workers_changed() {
  if (stage_ == Stage::kSettling && generation_->all_slots_ready()) {
    retire_old();
  } else if (stage_ == Stage::kRetiring && host_.old_stopped_accepting()) {
    finish(Verdict::Kind::kCommitted);
  }
}

void Reload::retire_old() {
  stage_ = Stage::kRetiring;
  patience_.start_once(kStopAcceptingPatience);
  host_.replace_current(*generation_);
  if (stage_ == Stage::kRetiring && host_.old_stopped_accepting()) {
    finish(Verdict::Kind::kCommitted);
  }
}

void Reload::on_patience_over() {
  if (stage_ == Stage::kSettling) {
    // Slots that still have no worker are adopted; with nobody ready the old ones go on serving.
    if (generation_->ready_workers() > 0) return retire_old();
    log::warning("reload_waits", {{"generation", generation_->id()}});
    patience_.start_once(kStopAcceptingPatience);
  } else if (stage_ == Stage::kRetiring) {
    log::warning("old_workers_silent", {{"generation", generation_->id()}});
    finish(Verdict::Kind::kCommitted);
  }
}

void Reload::cancel(const std::string& reason) {
  if (stage_ == Stage::kDone) return;
  if (is_committed()) {
    if (stage_ == Stage::kSettling) host_.replace_current(*generation_);
    return finish(Verdict::Kind::kCommitted);
  }
  roll_back(Verdict::Kind::kRolledBack, {problem_of("stopping", reason)});
}

void Reload::roll_back(Verdict::Kind kind, std::vector<Problem> problems) {
  stage_ = Stage::kDone;
  check_.reset();
  if (generation_) std::exchange(generation_, nullptr)->abort();
  if (listeners_prepared_) parts_.listeners.abort();
  listeners_prepared_ = false;
  finish(kind, std::move(problems));
}

void Reload::finish(Verdict::Kind kind, std::vector<Problem> problems) {
  stage_ = Stage::kDone;
  patience_.stop();
  Verdict verdict;
  verdict.kind = kind;
  verdict.tier = tier_;
  if (!problems.empty()) verdict.error = first_problem(problems);
  verdict.problems = std::move(problems);
  verdict.at = parts_.clock.wall();
  verdict.duration = std::chrono::duration_cast<Milliseconds>(parts_.clock.steady() - began_);
  const Generation* current = host_.current_generation();
  verdict.generation = current ? current->id() : 0;
  host_.on_reload_done(std::move(verdict));
}

}  // namespace servery
