#include "config/plan.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

Plan sample() {
  Plan plan;
  plan.profile = "local";
  plan.config_path = "/etc/servery/\xff.yaml";
  plan.workers = 4;
  plan.runtime.drain_timeout = Duration(1234);
  plan.runtime.restart.limit = 7;
  plan.runtime.recycle.jitter = 0.5;
  plan.runtime.heartbeat.abort = Duration(99);
  plan.listeners = {{":80", AddressKind::kTcp, AddressFamily::kBoth, "", 80, "", 0, ""},
                    {"unix:/a", AddressKind::kUnix, AddressFamily::kBoth, "", 0, "/a", 0600, ""}};
  plan.default_port_scan = true;
  plan.identity = PlanIdentity{"nobody", 65534, 65534, {65534, 7}};
  plan.control_socket = "/run/x.sock";
  plan.connections = 10;
  plan.log_level = "info";
  plan.roots = {"/srv"};
  plan.named_files = "{}";
  plan.files = {{"error_pages.404", "/srv/404.html", "0123"}};
  plan.fingerprint = "abc";
  plan.tier = ReloadTier::kRestart;
  plan.changes = {{"pool.queue", "1", "2", ReloadTier::kGeneration}};
  plan.problems = {{"f", 1, 2, "k", "r", "m", "s"}};
  return plan;
}

TEST(Plan, SurvivesTheWay) {
  const std::string text = dump_json(to_json(sample()));
  const Result<Plan> back = parse_plan(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->config_path, sample().config_path);
  EXPECT_EQ(back->listeners, sample().listeners);
  EXPECT_EQ(back->identity, sample().identity);
  EXPECT_EQ(back->changes, sample().changes);
  EXPECT_EQ(back->problems, sample().problems);
  EXPECT_EQ(back->runtime.recycle.jitter, 0.5);
  // Every member: the text of what came back is the text that was sent.
  EXPECT_EQ(dump_json(to_json(*back)), text);
}

TEST(Plan, AbsentIdentityStaysAbsent) {
  Plan plan = sample();
  plan.identity.reset();
  EXPECT_FALSE(parse_plan(dump_json(to_json(plan)))->identity);
}

TEST(Plan, EveryMemberIsNeededAndOfItsType) {
  const Json good = to_json(sample());
  for (const auto& [name, value] : good.items()) {
    Json without = good;
    without.erase(name);
    EXPECT_FALSE(plan_from_json(without)) << name;
    Json wrong = good;
    wrong[name] = value.is_boolean() ? Json("x") : Json(true);
    EXPECT_FALSE(plan_from_json(wrong)) << name;
  }
  Json more = good;
  more["surprise"] = 1;
  EXPECT_FALSE(plan_from_json(more));
}

TEST(Plan, RangesHold) {
  const auto refuses = [](const char* pointer, const Json& value) {
    Json json = to_json(sample());
    json[Json::json_pointer(pointer)] = value;
    return !plan_from_json(json);
  };
  EXPECT_TRUE(refuses("/listeners/0/port", 65536));
  EXPECT_TRUE(refuses("/listeners/0/kind", 3));
  EXPECT_TRUE(refuses("/listeners/0/kind", -1));
  EXPECT_TRUE(refuses("/workers", -1));
  EXPECT_TRUE(refuses("/workers", 4294967296));
  EXPECT_TRUE(refuses("/workers", 1.5));
  EXPECT_TRUE(refuses("/runtime/drain_timeout", -1));
  EXPECT_TRUE(refuses("/runtime/drain_timeout", 18446744073709551615u));
  EXPECT_TRUE(refuses("/config_path", "\u20ac"));  // no byte
  EXPECT_FALSE(refuses("/config_path", "\u00e9"));
}

TEST(Plan, HostileTextIsRefused) {
  for (const char* text : {"", "null", "[]", "{}", "{", "1", "\"x\""}) {
    EXPECT_FALSE(parse_plan(text)) << text;
  }
  EXPECT_FALSE(parse_plan(std::string(kMaxPlanBytes + 1, ' ')));
}

TEST(Problem, ReadsLikeACompilerMessage) {
  EXPECT_EQ(format_problem(
                {"a.yaml", 3, 5, "limits.conections", "unknown_key", "unknown key", "connections"}),
            "a.yaml:3:5: limits.conections: unknown key (did you mean connections?)");
  EXPECT_EQ(format_problem({"--workers", 0, 0, "runtime.workers", "r", "m", ""}),
            "--workers: runtime.workers: m");
  EXPECT_EQ(format_problem({"", 0, 0, "", "r", "m", ""}), "m");
}

TEST(Problem, JsonHasNullsForWhatIsAbsent) {
  EXPECT_EQ(
      dump_json(to_json(Problem{"", 0, 0, "", "r", "m", ""})),
      R"({"file":null,"line":null,"column":null,"key":null,"reason":"r","message":"m","suggestion":null})");
}

}  // namespace
}  // namespace servery
