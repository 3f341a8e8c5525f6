#include "supervisor/slot_restarts.h"

#include <gmock/gmock.h>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

using testing::ElementsAre;

class SlotRestartsTest : public test::FleetFixture {
 protected:
  SlotRestartsTest() {
    RestartPolicy::Settings settings;
    settings.backoff_initial = Milliseconds(1);
    settings.backoff_max = Milliseconds(3'600'000);
    settings.limit = 2;
    histories.assign(2, SlotHistory(settings));
  }
  void schedule(std::uint32_t slot, Milliseconds at_least = Milliseconds(0)) {
    restarts.schedule(slot, at_least, log::Level::kDebug);
  }

  std::vector<std::uint32_t> started;
  SlotRestarts restarts{parts, histories, [] { return 0.5; }, 2,
                        [this](std::uint32_t slot) { started.push_back(slot); }};
};

TEST_F(SlotRestartsTest, TheFirstIsImmediateTheNextWaits) {
  schedule(1);
  EXPECT_THAT(started, ElementsAre(1U));
  schedule(1);
  EXPECT_THAT(started, ElementsAre(1U));
  EXPECT_TRUE(restarts.is_waiting(1));
  EXPECT_FALSE(restarts.is_waiting(0));
  run_until([&] { return started.size() == 2; });
  EXPECT_FALSE(restarts.is_waiting(1));
}

TEST_F(SlotRestartsTest, AStartThatCouldNotBeMadeIsNotTriedInALoop) {
  schedule(0, Milliseconds(50));
  EXPECT_TRUE(started.empty());
  EXPECT_TRUE(restarts.is_waiting(0));
}

TEST_F(SlotRestartsTest, MoreEndsThanTheLimitAreACrashLoopOfThisGenerationsSlots) {
  for (int i = 0; i < 3; ++i) schedule(0);
  EXPECT_TRUE(restarts.in_crash_loop(0));
  EXPECT_FALSE(restarts.in_crash_loop(1));
  EXPECT_EQ(count(Metric::kCrashLoops), 1U);
  schedule(0);
  EXPECT_EQ(count(Metric::kCrashLoops), 1U) << "it went in once";
  EXPECT_TRUE(restarts.is_waiting(0));
  restarts.stop_all();
  EXPECT_FALSE(restarts.is_waiting(0));
}

}  // namespace
}  // namespace servery
