#include "supervisor/plan_request.h"

#include <algorithm>

#include "common/base/exit_code.h"
#include "ipc/memfd.h"
#include "supervisor/verdict.h"

namespace servery {
namespace {

Json verdict_answer(std::string_view verdict, const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) list.push_back(to_json(problem));
  return {{"verdict", verdict}, {"problems", std::move(list)}};
}

void describe_plan(Json& answer, const Plan& plan, const Generation* current,
                   const Listeners& listeners) {
  Json changes = Json::array();
  for (const PlanChange& change : plan.changes) {
    changes.push_back({{"key", change.key},
                       {"old", change.old_value},
                       {"new", change.new_value},
                       {"tier", tier_name(change.tier)}});
  }
  std::uint64_t connections = 0;
  std::size_t replaced = 0;
  if (current) {
    for (const auto& worker : current->workers()) connections += worker->page().connections();
    replaced = current->workers().size();
  }
  const ListenerChanges sockets = listeners.changes(plan);
  answer["tier"] = tier_name(plan.tier);
  answer["changes"] = std::move(changes);
  answer["listeners"] = {
      {"opened", sockets.opened}, {"kept", sockets.kept}, {"closed", sockets.closed}};
  answer["workers"] = {
      {"now", current ? current->slot_count() : 0}, {"then", plan.workers}, {"replaced", replaced}};
  answer["connections"] = connections;  // open on the workers that would go
}

}  // namespace

Status PlanRequest::begin(Loop& loop, const Executable& executable, const std::string& inputs) {
  inputs_ = SERVERY_TRY(ipc::seal_text("servery-inputs", inputs));
  const Generation* current = fleet_.current();
  check_ = SERVERY_TRY(ConfigCheck::start(loop, executable, inputs_.get(),
                                          current ? current->inputs() : -1,
                                          [this](Result<Plan> plan) { on_plan(std::move(plan)); }));
  return {};
}

void PlanRequest::fail(const Error& error) {
  reply_.fail(kExitFailed, error.text);
  done_(*this);
}

bool PlanRequest::on_child_exit(pid_t pid, int wait_status) {
  if (!check_ || check_->pid() != pid) return false;
  check_->on_exit(wait_status);
  return true;
}

void PlanRequest::on_plan(Result<Plan> plan) {
  if (!plan) return fail(plan.error());
  if (const Generation* current = fleet_.current()) add_file_changes(*plan, current->plan());
  const PlanAnswer answer =
      plan_answer(std::move(*plan), most_workers_, fleet_.current(), listeners_);
  reply_.finish(answer.exit_code, answer.text);
  done_(*this);
}

void PlanRequests::begin(const tl::expected<std::string, Problem>& inputs,
                         std::uint32_t most_workers, ControlReply reply) {
  if (requests_.size() >= kMaxAtOnce) return reply.fail(kExitFailed, "too many plans at once");
  if (!inputs) {
    return reply.finish(
        kExitInputWrong,
        Json{{"verdict", "invalid"}, {"problems", Json::array({to_json(inputs.error())})}});
  }
  requests_.push_back(std::make_unique<PlanRequest>(fleet_, listeners_, most_workers,
                                                    std::move(reply),
                                                    [this](PlanRequest& done) { forget(done); }));
  PlanRequest& plan = *requests_.back();
  if (const Status begun = plan.begin(loop_, executable_, *inputs); !begun) {
    plan.fail(begun.error());
  }
}

void PlanRequests::forget(PlanRequest& done) {
  const auto entry = std::find_if(requests_.begin(), requests_.end(),
                                  [&done](const auto& r) { return r.get() == &done; });
  loop_.destroy_later(std::move(*entry));
  requests_.erase(entry);
}

bool PlanRequests::on_child_exit(pid_t pid, int wait_status) {
  return std::any_of(requests_.begin(), requests_.end(), [pid, wait_status](const auto& request) {
    return request->on_child_exit(pid, wait_status);
  });
}

PlanAnswer plan_answer(Plan plan, std::uint32_t most_workers, const Generation* current,
                       const Listeners& listeners) {
  if (!plan.ok()) return {kExitInputWrong, verdict_answer("invalid", plan.problems)};
  require_restart_above(plan, most_workers);
  std::vector<Problem> problems = restart_problems(plan, most_workers);
  for (const Error& error : listeners.obstacles(plan)) problems.push_back(problem_of(error));
  Json answer = verdict_answer(problems.empty() ? "ok" : "rolled_back", problems);
  describe_plan(answer, plan, current, listeners);
  return {problems.empty() ? kExitDone : kExitFailed, std::move(answer)};
}

}  // namespace servery
