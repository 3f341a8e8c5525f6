#include "config/error_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "inputs_of.h"
#include "tests/support/temp_tree.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ErrorPagesTest : public ::testing::Test {
 protected:
  Plan check(const std::string& pages, const std::string& of_route = "{}") {
    inputs = file_inputs("schema: 1\nerror_pages: " + pages +
                         "\nroutes: [{path: /, respond: {}, error_pages: " + of_route + "}]\n");
    inputs.file_path = tree.at("site.yaml");
    return check_inputs(inputs, nullptr, {54'321, 54'321, "/nonexistent"});
  }

  test::TempTree tree;
  Inputs inputs;
};

TEST_F(ErrorPagesTest, ThePlanCarriesEachFileOnceAsItIs) {
  tree.file("a.html", std::string("<p>\xff\0", 5));
  tree.file("b.html", "b");
  const Plan plan = check("{404: a.html, 5xx: ./b.html}", "{4xx: b.html}");
  ASSERT_THAT(brief(plan.problems), IsEmpty());
  const auto files = decode_named_files(plan.named_files);
  ASSERT_TRUE(files);
  ASSERT_EQ(files->error_pages.size(), 2U);
  EXPECT_EQ(files->error_pages[0].path, tree.at("a.html"));
  EXPECT_EQ(files->error_pages[0].text, std::string("<p>\xff\0", 5));
  EXPECT_EQ(files->error_pages[1].text, "b");
  std::vector<std::string> keys;
  for (const PlanFile& file : plan.files) keys.push_back(file.key);
  EXPECT_THAT(keys, ElementsAre("error_pages.404", "error_pages.5xx", "routes[0].error_pages.4xx"));
}

TEST_F(ErrorPagesTest, AFileThatCannotBeUsedIsOneProblemAtItsPlace) {
  const Plan plan = check("{404: gone.html, 5xx: gone.html}", "{4xx: gone.html}");
  EXPECT_THAT(brief(plan.problems), ElementsAre("2:20 error_pages.404 missing_file"));
  EXPECT_THAT(plan.problems[0].message, HasSubstr(tree.at("gone.html")));
  EXPECT_THAT(plan.named_files, IsEmpty());
  tree.directory("d");
  EXPECT_THAT(brief(check("{}", "{404: d}").problems),
              ElementsAre("3:52 routes[0].error_pages.404 unreadable_file"));
}

TEST_F(ErrorPagesTest, OnlyErrorsHavePages) {
  tree.file("a", "");
  for (const char* bad : {"200", "304", "399", "600", "4x", "6xx", "x", "40", "4000", "\"\""}) {
    EXPECT_THAT(brief(check(std::string("{") + bad + ": a}").problems),
                ElementsAre("2:15 error_pages invalid_value"))
        << bad;
  }
  for (const char* good : {"400", "599", "4xx", "5xx"}) {
    EXPECT_TRUE(check(std::string("{") + good + ": a}").ok()) << good;
  }
  EXPECT_EQ(check("{4XX: a}").problems.at(0).suggestion, "4xx");
  EXPECT_THAT(brief(check("{404: \"\"}").problems), ElementsAre("2:20 error_pages invalid_value"));
}

TEST_F(ErrorPagesTest, HowMuchThereMayBe) {
  tree.file("fits", std::string(kMaxErrorPageBytes, 'x'));
  EXPECT_TRUE(check("{404: fits}").ok());
  tree.file("large", std::string(kMaxErrorPageBytes + 1, 'x'));
  EXPECT_THAT(brief(check("{404: large}").problems),
              ElementsAre("2:20 error_pages.404 unreadable_file"));
  std::string many;
  std::string heavy;
  for (std::size_t i = 0; i <= kMaxErrorPages; ++i) {
    tree.file("small" + std::to_string(i), "");
    tree.file("heavy" + std::to_string(i), std::string(kMaxErrorPageBytes, 'x'));
    const std::string status = std::to_string(400 + i) + ": ";
    if (i > 0) many += ", " + status + "small" + std::to_string(i);
    if (i <= 16) heavy += status + "heavy" + std::to_string(i) + ", ";
  }
  EXPECT_TRUE(check("{" + many.substr(2) + "}").ok());
  EXPECT_THAT(check("{" + many.substr(2) + "}", "{400: small0}").problems.at(0).reason, "too_many");
  const Plan plan = check("{" + heavy + "599: small0}");
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].key, "error_pages.416");
  EXPECT_EQ(plan.problems[0].reason, "too_large");
}

TEST_F(ErrorPagesTest, AReloadNamesTheFilesWithOtherContent) {
  tree.file("a", "one");
  tree.file("b", "one");
  const Plan old = check("{404: a, 405: b}", "{500: a}");
  Plan same = check("{404: a, 405: b}", "{500: a}");
  EXPECT_EQ(same.fingerprint, old.fingerprint);
  add_file_changes(same, old);
  EXPECT_THAT(same.changes, IsEmpty());
  EXPECT_EQ(same.tier, ReloadTier::kNone);
  tree.file("a", "two");
  Plan changed = check("{404: a, 405: b}", "{500: a}");
  EXPECT_NE(changed.fingerprint, old.fingerprint);
  add_file_changes(changed, old);
  std::vector<std::string> keys;
  for (const PlanChange& change : changed.changes) keys.push_back(change.key);
  EXPECT_THAT(keys, ElementsAre("error_pages.404", "routes[0].error_pages.500"));
  EXPECT_EQ(changed.changes[0].old_value, tree.at("a"));
  EXPECT_EQ(changed.tier, ReloadTier::kGeneration);
}

}  // namespace
}  // namespace servery
