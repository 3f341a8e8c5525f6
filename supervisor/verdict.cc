#include "supervisor/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "common/base/log.h"

namespace servery {

int Verdict::exit_code() const {
  switch (kind) {
    case Kind::kCommitted:
      return kExitDone;
    case Kind::kInvalid:
      return kExitInputWrong;
    case Kind::kRolledBack:
    case Kind::kSuperseded:
      return kExitFailed;
  }
  return kExitFailed;
}

std::string_view verdict_name(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kCommitted:
      return "committed";
    case Verdict::Kind::kRolledBack:
      return "rolled_back";
    case Verdict::Kind::kInvalid:
      return "invalid";
    case Verdict::Kind::kSuperseded:
      return "superseded";
  }
  return "rolled_back";
}

Metric verdict_metric(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kCommitted:
      return Metric::kReloadCommitted;
    case Verdict::Kind::kInvalid:
      return Metric::kReloadInvalid;
    case Verdict::Kind::kSuperseded:
      return Metric::kReloadSuperseded;
    case Verdict::Kind::kRolledBack:
      break;
  }
  return Metric::kReloadRolledBack;
}

void log_verdict(const Verdict& verdict) {
  const bool is_committed = verdict.kind == Verdict::Kind::kCommitted;
  log::write(is_committed ? log::Level::kInfo : log::Level::kError, "reload",
             {{"verdict", verdict_name(verdict.kind)},
              {"generation", verdict.generation},
              {"ms", verdict.duration.count()},
              {"error", verdict.error}});
}

Problem problem_of(std::string_view reason, std::string message) {
  Problem problem;
  problem.reason = reason;
  problem.message = std::move(message);
  return problem;
}

Problem problem_of(const Error& error) { return problem_of(errc_name(error.code), error.text); }

void require_restart_above(Plan& plan, std::uint32_t most_workers) {
  constexpr std::string_view kKey = "runtime.workers";
  if (plan.workers <= most_workers) return;
  plan.tier = ReloadTier::kRestart;
  auto change = std::find_if(plan.changes.begin(), plan.changes.end(),
                             [kKey](const PlanChange& other) { return other.key == kKey; });
  if (change == plan.changes.end()) {  // `auto`, and there are more CPUs now
    change = plan.changes.insert(change, PlanChange{});
    change->key = kKey;
    change->new_value = std::to_string(plan.workers);
  }
  change->tier = ReloadTier::kRestart;
}

std::vector<Problem> restart_problems(const Plan& plan, std::uint32_t most_workers) {
  std::vector<Problem> problems;
  if (plan.tier != ReloadTier::kRestart) return problems;
  for (const PlanChange& change : plan.changes) {
    if (change.tier != ReloadTier::kRestart) continue;
    Problem& problem = problems.emplace_back();
    problem.file = plan.config_path;
    problem.key = change.key;
    problem.reason = "needs_restart";
    problem.message = change.key == "runtime.workers"
                          ? fmt::format("more than {} workers need a restart", most_workers)
                          : "this key can only be changed by a restart";
  }
  return problems;
}

std::vector<std::string> refusal_lines(const Verdict& verdict) {
  if (verdict.problems.empty()) return {"servery: " + verdict.error};
  std::vector<std::string> lines;
  for (const Problem& problem : verdict.problems) {
    lines.push_back("servery: " + format_problem(problem));
  }
  return lines;
}

Json to_json(const Verdict& verdict) {
  Json problems = Json::array();
  for (const Problem& problem : verdict.problems) problems.push_back(to_json(problem));
  return Json{{"generation", verdict.generation},
              {"tier", tier_name(verdict.tier)},
              {"verdict", verdict_name(verdict.kind)},
              {"error", verdict.error.empty() ? Json(nullptr) : Json(verdict.error)},
              {"problems", std::move(problems)},
              {"at", format_time(verdict.at)},
              {"duration_ms", verdict.duration.count()}};
}

std::string format_time(WallTime time) {
  const auto ms = std::chrono::floor<Milliseconds>(time.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(ms);
  const auto seconds = static_cast<std::time_t>(whole.count());
  std::tm tm{};
  gmtime_r(&seconds, &tm);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", tm.tm_year + 1900, tm.tm_mon + 1,
                     tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (ms - whole).count());
}

}  // namespace servery
