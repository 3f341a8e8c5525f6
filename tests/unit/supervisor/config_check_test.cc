#include "supervisor/config_check.h"

#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

using testing::HasSubstr;

class ConfigCheckTest : public test::FleetFixture {
 protected:
  // One whole check of `inputs`; what it answered.
  Result<Plan> check(const std::string& inputs, int end_with = 0) {
    const auto sealed = ipc::seal_text("test-inputs", inputs);
    std::optional<Result<Plan>> answer;
    auto begun = ConfigCheck::start(*loop, executable, sealed->get(), -1,
                                    [&](Result<Plan> plan) { answer = std::move(plan); });
    EXPECT_TRUE(begun.has_value());
    ConfigCheck& running = **begun;
    if (end_with != 0) ::kill(running.pid(), end_with);
    on_other_exit = [&](pid_t pid, int status) {
      if (pid != running.pid()) return false;
      running.on_exit(status);
      return true;
    };
    run_until([&] { return answer.has_value(); });
    on_other_exit = nullptr;
    return std::move(*answer);
  }
};

TEST_F(ConfigCheckTest, AnswersWithAPlan) {
  const Plan plan = plan_for(3, "x");
  const auto answer = check(dump_json(to_json(plan)));
  ASSERT_TRUE(answer.has_value()) << answer.error().text;
  EXPECT_EQ(answer->workers, 3U);
  EXPECT_EQ(answer->config_path, plan.config_path);
}

TEST_F(ConfigCheckTest, ALongAnswerIsReadWhole) {
  Plan plan = plan_for(1);
  for (int i = 0; i < 2000; ++i) plan.roots.push_back(fmt::format("/a/long/path/number/{}", i));
  const auto answer = check(dump_json(to_json(plan)));  // more than a pipe holds
  ASSERT_TRUE(answer.has_value()) << answer.error().text;
  EXPECT_EQ(answer->roots.size(), 2000U);
}

TEST_F(ConfigCheckTest, AnythingElseIsARefusal) {
  EXPECT_FALSE(check("garbage").has_value());
  EXPECT_FALSE(check("{}").has_value());
  EXPECT_FALSE(check("").has_value());
}

TEST_F(ConfigCheckTest, AChildThatDiesIsARefusalThatSaysHow) {
  EXPECT_THAT(check("crash").error().text, HasSubstr("ended by signal 6"));
  EXPECT_THAT(check("{}", SIGKILL).error().text, HasSubstr("ended by signal 9"));
}

}  // namespace
}  // namespace servery
