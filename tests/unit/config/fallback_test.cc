#include "config/fallback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/load.h"
#include "inputs_of.h"
#include "tests/support/temp_tree.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FallbackTest : public ::testing::Test {
 protected:
  std::vector<std::string> problems(const std::vector<std::string>& routes) {
    std::string text = "schema: 1\nroutes:\n";
    for (const std::string& route : routes) text += "- {" + route + "}\n";
    const Inputs inputs = file_inputs(text);
    settings = load(inputs).settings;
    return brief(check_inputs(inputs, nullptr, {54'321, 54'321, "/nonexistent"}).problems);
  }
  std::string files(const std::string& path, const std::string& rest = "") const {
    return "path: " + path + ", static: {root: \"" + tree.path() + "\"}" +
           (rest.empty() ? "" : ", " + rest);
  }
  std::optional<std::size_t> next(std::size_t route) const { return fallback_of(settings, route); }

  test::TempTree tree;
  Settings settings;
};

TEST_F(FallbackTest, TheSameHostsRouteElseThatOfNoHost) {
  EXPECT_THAT(
      problems({files("/a", "host: x.org, fallback: /b"), files("/b"), files("/b", "host: x.org"),
                files("/b", "host: y.org"), files("/c", "host: y.org, fallback: /d"), files("/d"),
                files("/e", "fallback: \"=/f\""), "path: \"=/f\", respond: {}", files("/f")}),
      IsEmpty());
  EXPECT_EQ(next(0), 2U);
  EXPECT_EQ(next(1), std::nullopt);
  EXPECT_EQ(next(4), 5U);
  EXPECT_EQ(next(6), 7U);
}

TEST_F(FallbackTest, OfSeveralRoutesOfAPathTheOneThatTakesGet) {
  EXPECT_THAT(problems({files("/a", "fallback: /b"), "path: /b, methods: [POST], respond: {}",
                        "path: /b, methods: [GET], respond: {}"}),
              IsEmpty());
  EXPECT_EQ(next(0), 2U);
}

TEST_F(FallbackTest, WhatIsNotThereOrTakesNoGet) {
  EXPECT_THAT(problems({files("/a", "fallback: /nono"), files("/none")}),
              ElementsAre("3:" + std::to_string(files("/a").size() + 16) +
                          " routes[0].fallback unknown_route"));
  EXPECT_EQ(check_fallback(settings, 0)->suggestion, "/none");
  problems({files("/a", "fallback: /b"), files("/b", "host: other.org")});
  EXPECT_EQ(check_fallback(settings, 0)->reason, "unknown_route");
  problems({files("/a", "fallback: /b"), "path: /b, methods: [POST], respond: {}"});
  EXPECT_EQ(check_fallback(settings, 0)->reason, "method_not_taken");
  problems({"path: /a, respond: {}, fallback: /b", files("/b")});
  EXPECT_EQ(check_fallback(settings, 0)->reason, "conflict");
}

TEST_F(FallbackTest, ACircleIsToldOnce) {
  EXPECT_EQ(problems({files("/in", "fallback: /b"), files("/a", "fallback: /b"),
                      files("/b", "fallback: /c"), files("/c", "fallback: /a")})
                .size(),
            1U);
  EXPECT_EQ(check_fallback(settings, 0), std::nullopt);
  EXPECT_EQ(check_fallback(settings, 1)->reason, "circle");
  EXPECT_EQ(problems({files("/a", "fallback: /a")}).size(), 1U);
  EXPECT_EQ(check_fallback(settings, 0)->reason, "circle");
}

TEST_F(FallbackTest, EightRoutesOneAfterTheOther) {
  std::vector<std::string> routes;
  for (std::size_t i = 0; i < kMaxFallbacks; ++i) {
    routes.push_back(files("/" + std::to_string(i), "fallback: /" + std::to_string(i + 1)));
  }
  routes.push_back(files("/8"));
  EXPECT_THAT(problems(routes), IsEmpty());
  routes.back() = files("/8", "fallback: /9");
  routes.push_back(files("/9"));
  EXPECT_EQ(problems(routes).size(), 1U);
  EXPECT_EQ(check_fallback(settings, 0)->reason, "too_many");
}

}  // namespace
}  // namespace servery
