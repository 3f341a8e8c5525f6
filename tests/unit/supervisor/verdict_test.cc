#include "supervisor/verdict.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(Verdict, ExitCodesOfTheContract) {
  const auto code = [](Verdict::Kind kind) {
    Verdict verdict;
    verdict.kind = kind;
    return verdict.exit_code();
  };
  EXPECT_EQ(code(Verdict::Kind::kCommitted), 0);
  EXPECT_EQ(code(Verdict::Kind::kRolledBack), 1);
  EXPECT_EQ(code(Verdict::Kind::kInvalid), 2);
  EXPECT_EQ(code(Verdict::Kind::kSuperseded), 1);
}

TEST(Verdict, JsonHasTheMembersOfLastReload) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kInvalid;
  verdict.generation = 3;
  verdict.error = "bad";
  verdict.problems.push_back({"a.yaml", 3, 5, "hosts", "unknown_key", "no such key", "host"});
  verdict.duration = Milliseconds(12);
  const Json json = to_json(verdict);
  EXPECT_EQ(json["verdict"], "invalid");
  EXPECT_EQ(json["generation"], 3);
  EXPECT_EQ(json["tier"], "generation");
  EXPECT_EQ(json["error"], "bad");
  EXPECT_EQ(json["duration_ms"], 12);
  EXPECT_EQ(json["problems"][0]["line"], 3);
  verdict.error.clear();
  EXPECT_TRUE(to_json(verdict)["error"].is_null());
}

TEST(Verdict, ARefusedStartSaysEachProblemOnce) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kInvalid;
  verdict.error = "s.yaml:2:1: x: unknown key (and 1 more)";
  verdict.problems.push_back({"s.yaml", 2, 1, "x", "unknown_key", "unknown key", ""});
  verdict.problems.push_back({"--set", 0, 0, "y", "unknown_key", "unknown key", "z"});
  EXPECT_EQ(refusal_lines(verdict),
            (std::vector<std::string>{"servery: s.yaml:2:1: x: unknown key",
                                      "servery: --set: y: unknown key (did you mean z?)"}));
}

TEST(Verdict, ARefusedStartWithoutProblemsSaysItsError) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kRolledBack;
  verdict.error = "127.0.0.1:80: Permission denied";
  EXPECT_EQ(refusal_lines(verdict),
            (std::vector<std::string>{"servery: 127.0.0.1:80: Permission denied"}));
}

TEST(Verdict, AnErrorIsAProblemWithoutAPlace) {
  const Problem problem = problem_of(Error{Errc::kExists, "127.0.0.1:80 is in use"});
  EXPECT_EQ(problem, (Problem{"", 0, 0, "", "exists", "127.0.0.1:80 is in use", ""}));
}

TEST(Verdict, OnlyARestartTierHasRestartProblems) {
  Plan plan;
  plan.config_path = "/etc/s.yaml";
  plan.changes = {{"hosts", "[]", "[a]", ReloadTier::kGeneration}};
  plan.tier = ReloadTier::kGeneration;
  EXPECT_TRUE(restart_problems(plan, 64).empty());
  plan.changes.push_back({"runtime.control_socket", "/a", "/b", ReloadTier::kRestart});
  plan.tier = ReloadTier::kRestart;
  const auto problems = restart_problems(plan, 64);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(format_problem(problems.front()),
            "/etc/s.yaml: runtime.control_socket: this key can only be changed by a restart");
  EXPECT_EQ(problems.front().reason, "needs_restart");
}

TEST(Verdict, MoreWorkersThanThereIsMemoryForNeedARestart) {
  Plan plan;
  plan.workers = 64;
  plan.changes = {{"runtime.workers", "2", "64", ReloadTier::kGeneration}};
  require_restart_above(plan, 64);
  EXPECT_NE(plan.tier, ReloadTier::kRestart);
  plan.workers = 65;
  require_restart_above(plan, 64);
  EXPECT_EQ(plan.tier, ReloadTier::kRestart);
  const auto problems = restart_problems(plan, 64);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().key, "runtime.workers");
  EXPECT_EQ(problems.front().message, "more than 64 workers need a restart");
  plan.changes.clear();  // `auto` on a machine that has grown
  require_restart_above(plan, 64);
  EXPECT_EQ(restart_problems(plan, 64), problems);
}

TEST(Verdict, TimesAreUtcWithMilliseconds) {
  EXPECT_EQ(format_time(WallTime(std::chrono::nanoseconds(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(WallTime(std::chrono::nanoseconds(1'700'000'000'250'999'999))),
            "2023-11-14T22:13:20.250Z");
}

}  // namespace
}  // namespace servery
