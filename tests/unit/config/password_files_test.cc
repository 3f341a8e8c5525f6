#include "config/password_files.h"

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
using ::testing::Not;

const std::string kHash = "$2y$05$" + std::string(53, 'a');

class PasswordFilesTest : public ::testing::Test {
 protected:
  Plan check(const std::string& auth, const Inputs* old = nullptr) {
    inputs =
        file_inputs("schema: 1\nauth:\n" + auth + "routes: [{path: /, respond: {}, auth: team}]\n");
    inputs.file_path = tree.at("site.yaml");
    return check_inputs(inputs, old, {54'321, 54'321, "/nonexistent"});
  }

  test::TempTree tree;
  Inputs inputs;
};

TEST_F(PasswordFilesTest, ThePlanCarriesTheUsersOfEachFileOnce) {
  tree.file("u", "# team\nalice:" + kHash +
                     "\n\nb\xc3\xb6"
                     "b:" +
                     kHash + "\n");
  const Plan plan = check("  team: {basic: {file: u}}\n  other: {basic: {file: u}}\n");
  ASSERT_THAT(brief(plan.problems), IsEmpty());
  const auto named = decode_named_files(plan.named_files);
  ASSERT_TRUE(named);
  const auto& files = named->passwords;
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.front().path, tree.at("u"));
  EXPECT_EQ(files.front().text, "alice:" + kHash +
                                    "\nb\xc3\xb6"
                                    "b:" +
                                    kHash + "\n");
  const Settings settings = load(inputs).settings;
  const auto users = users_of(settings.auth.front(), files);
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[1].name,
            "b\xc3\xb6"
            "b");
}

TEST_F(PasswordFilesTest, UsersOfTheEntryComeBesideThoseOfTheFile) {
  tree.file("u", "alice:" + kHash + "\n");
  const std::string line = "\"bob:" + kHash + "\"";
  const Plan plan =
      check("  team: {basic: {file: u, users: [" + line + "]}, read: [alice, bob]}\n");
  ASSERT_THAT(brief(plan.problems), IsEmpty());
  const auto users =
      users_of(load(inputs).settings.auth.front(), decode_named_files(plan.named_files)->passwords);
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(users[1].name, "bob");
}

TEST_F(PasswordFilesTest, EveryBadLineIsNamed) {
  tree.file("u", "alice:" + kHash + "\nnonsense\nbob:topsecret\n");
  const Plan plan = check("  team: {basic: {file: u}}\n");
  EXPECT_THAT(brief(plan.problems), ElementsAre("2:1 auth.team.basic.file bad_password_line",
                                                "3:1 auth.team.basic.file bad_password_line"));
  for (const Problem& problem : plan.problems) {
    EXPECT_EQ(problem.file, tree.at("u"));
    EXPECT_THAT(problem.message, Not(HasSubstr("topsecret")));
  }
  EXPECT_THAT(plan.named_files, IsEmpty());
}

TEST_F(PasswordFilesTest, WhatCannotBeUsed) {
  EXPECT_THAT(brief(check("  team: {basic: {file: missing}}\n").problems),
              ElementsAre("3:24 auth.team.basic.file unreadable_file"));
  tree.directory("d");
  EXPECT_THAT(brief(check("  team: {basic: {file: d}}\n").problems),
              ElementsAre("3:24 auth.team.basic.file unreadable_file"));
  tree.file("empty", "# nobody yet\n");
  EXPECT_THAT(brief(check("  team: {basic: {file: empty}}\n").problems),
              ElementsAre("3:24 auth.team.basic.file no_user"));
  EXPECT_THAT(brief(check("  team: {read: anyone}\n").problems),
              ElementsAre("3:9 auth.team.basic.file missing_key"));
  tree.file("u", "alice:" + kHash + "\n");
  EXPECT_THAT(
      brief(check("  team: {basic: {file: u, users: [\"alice:" + kHash + "\"]}}\n").problems),
      ElementsAre("3:34 auth.team.basic.users duplicate_value"));
}

TEST_F(PasswordFilesTest, GranteesMustBeUsers) {
  tree.file("u", "alice:" + kHash + "\n");
  const Plan plan = check("  team: {basic: {file: u}, write: [alice, bob, alise], delete: []}\n");
  ASSERT_THAT(brief(plan.problems), ElementsAre("3:35 auth.team.write unknown_user",
                                                "3:35 auth.team.write unknown_user"));
  EXPECT_THAT(plan.problems[0].message, HasSubstr("bob"));
  EXPECT_EQ(plan.problems[1].suggestion, "alice");
}

TEST_F(PasswordFilesTest, TheFingerprintTellsOtherPasswordsApart) {
  tree.file("u", "alice:" + kHash + "\n");
  const std::string one = check("  team: {basic: {file: u}}\n").fingerprint;
  EXPECT_EQ(check("  team: {basic: {file: u}}\n").fingerprint, one);
  tree.file("u", "alice:$2y$05$" + std::string(53, 'b') + "\n");
  EXPECT_NE(check("  team: {basic: {file: u}}\n").fingerprint, one);
}

}  // namespace
}  // namespace servery
