#include "config/surroundings.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace servery {
namespace {

TEST(Surroundings, ReadsVariables) {
  const char* variables[] = {"A=1", "B=", "C=x=y", "broken", nullptr};
  const Surroundings surroundings(variables);
  EXPECT_EQ(surroundings.variable("A"), "1");
  EXPECT_EQ(surroundings.variable("B"), "");
  EXPECT_EQ(surroundings.variable("C"), "x=y");
  EXPECT_EQ(surroundings.variable("broken"), "");
  EXPECT_EQ(surroundings.directory(), std::filesystem::current_path().string());
}

TEST(Surroundings, WithoutAnEnvironmentThereAreNoOverlays) {
  EXPECT_TRUE(Surroundings(nullptr).overlays().empty());
}

TEST(Surroundings, AListComesBeforeItsItems) {
  const char* variables[] = {"SERVERY__ROUTES__0__PATH=/b", "SERVERY__ROUTES=[]", nullptr};
  const auto overlays = Surroundings(variables).overlays();
  ASSERT_EQ(overlays.size(), 2u);
  EXPECT_EQ(overlays[0].key, "routes");
  EXPECT_EQ(overlays[1].key, "routes[0].path");
}

}  // namespace
}  // namespace servery
