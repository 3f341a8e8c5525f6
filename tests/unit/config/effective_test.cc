#include "config/effective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Settings settings_of(std::string text) { return load(file_inputs("schema: 1\n" + text)).settings; }

std::string value_of(const Settings& settings, std::string_view key) {
  for (const EffectiveValue& value : effective_values(settings)) {
    if (value.key == key) return value.text;
  }
  return "(absent)";
}

TEST(Effective, HoldsWhatAppliesOnly) {
  const Settings settings = settings_of("routes: [{path: \"=/x\", respond: {body: \"a\\n\"}}]\n");
  EXPECT_EQ(value_of(settings, "routes[0].path"), "\"=/x\"");
  EXPECT_EQ(value_of(settings, "routes[0].respond.body"), "\"a\\n\"");
  EXPECT_EQ(value_of(settings, "routes[0].static.root"), "(absent)");
  EXPECT_EQ(value_of(settings, "listeners[0].mode"), "(absent)");
  EXPECT_EQ(value_of(settings_of(""), "routes"), "[]");
}

TEST(Diff, NothingChangedIsNoChange) {
  const Settings settings = settings_of("routes: [{path: /, respond: {}}]\n");
  EXPECT_THAT(diff_settings(settings, settings), IsEmpty());
  EXPECT_EQ(tier_of({}), ReloadTier::kNone);
}

TEST(Diff, NamesChangedAddedAndRemovedKeys) {
  const auto changes = diff_settings(
      settings_of("pool: {queue: 5}\nlisteners: [{address: \":80\"}, {address: \":81\"}]\n"),
      settings_of("pool: {queue: 6}\nlisteners: [{address: \"unix:/a\", mode: \"0600\"}]\n"));
  EXPECT_THAT(
      changes,
      ElementsAre(
          PlanChange{"listeners[0].address", "\":80\"", "\"unix:/a\"", ReloadTier::kGeneration},
          PlanChange{"listeners[0].mode", "", "\"0600\"", ReloadTier::kGeneration},
          PlanChange{"pool.queue", "5", "6", ReloadTier::kGeneration},
          PlanChange{"listeners[1].address", "\":81\"", "", ReloadTier::kGeneration},
          PlanChange{"listeners[1].proxy_protocol", "[]", "", ReloadTier::kGeneration}));
  EXPECT_EQ(tier_of(changes), ReloadTier::kGeneration);
}

TEST(Diff, TheControlSocketNeedsARestart) {
  const auto changes = diff_settings(
      settings_of(""), settings_of("runtime: {control_socket: /x}\npool: {queue: 6}\n"));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(tier_of(changes), ReloadTier::kRestart);
}

}  // namespace
}  // namespace servery
