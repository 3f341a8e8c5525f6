// The keys of `auth`: entries with names of the author's, defaults that follow each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/effective.h"
#include "config/load.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kHash = "$2y$05$" + std::string(53, 'a');

Inputs with_auth(const std::string& text) {
  return file_inputs("schema: 1\nauth:\n" + text + "routes: [{path: /, respond: {}}]\n");
}

// "anyone", "users", "[alice]" of read list write create overwrite move delete.
std::vector<std::string> rights_of(const std::string& keys) {
  const Loaded loaded = load(with_auth("  team: {basic: {file: u}" + keys + "}\n"));
  EXPECT_THAT(brief(loaded.problems), IsEmpty());
  std::vector<std::string> out;
  for (const EffectiveValue& value : effective_values(loaded.settings)) {
    const bool of_right = value.key.starts_with("auth.team.") &&
                          value.key.find("basic") == std::string::npos &&
                          value.key.find("realm") == std::string::npos;
    if (of_right) out.push_back(value.text);
  }
  return out;
}

TEST(AuthSettings, RightsFollowOneAnother) {
  const std::string u = "users", a = "anyone", al = "[alice]", b = "[bob]", none = "[]";
  EXPECT_THAT(rights_of(""), ElementsAre(u, u, u, u, u, u, u));
  EXPECT_THAT(rights_of(", read: anyone"), ElementsAre(a, a, u, u, u, u, u));
  EXPECT_THAT(rights_of(", read: [alice]"), ElementsAre(al, al, al, al, al, al, al))
      << "who may not read may not write either";
  EXPECT_THAT(rights_of(", read: anyone, write: [bob], delete: [alice]"),
              ElementsAre(a, a, b, b, b, b, al));
  EXPECT_THAT(rights_of(", list: [bob], write: [alice], create: anyone, move: []"),
              ElementsAre(u, b, al, a, al, none, al));
}

TEST(AuthSettings, EntriesKeepTheirNamesAndOrder) {
  const Loaded loaded =
      load(with_auth("  team-2: {basic: {file: u}, realm: \"Our files\"}\n"
                     "  b_c: {basic: {users: [\"alice:" +
                     kHash + "\"]}}\n"));
  ASSERT_THAT(brief(loaded.problems), IsEmpty());
  ASSERT_EQ(loaded.settings.auth.size(), 2U);
  EXPECT_EQ(loaded.settings.auth[0].name, "team-2");
  EXPECT_EQ(loaded.settings.auth[0].realm, "Our files");
  EXPECT_EQ(loaded.settings.auth[1].name, "b_c");
  EXPECT_EQ(loaded.settings.auth[1].users, TextList{"alice:" + kHash});
}

TEST(AuthSettings, HashesAreNotShown) {
  const Loaded loaded = load(with_auth("  t: {basic: {users: [\"alice:" + kHash + "\"]}}\n"));
  for (const EffectiveValue& value : effective_values(loaded.settings)) {
    EXPECT_EQ(value.text.find("$2y$"), std::string::npos) << value.key;
    if (value.key == "auth.t.basic.users") {
      EXPECT_EQ(value.text, "[\"alice:***\"]");
    }
  }
}

TEST(AuthSettings, FlagsAndVariablesReachEntries) {
  Inputs inputs = with_auth("  team: {basic: {file: u}}\n");
  inputs = with_variable(inputs, "SERVERY__AUTH__TEAM__READ", "auth.team.read", "anyone");
  inputs = with_flag(inputs, "auth.more.basic.file", "v");
  const Loaded loaded = load(inputs);
  ASSERT_THAT(brief(loaded.problems), IsEmpty());
  ASSERT_EQ(loaded.settings.auth.size(), 2U);
  EXPECT_EQ(loaded.settings.auth[0].read.kind, Grantees::Kind::kAnyone);
  EXPECT_EQ(loaded.settings.auth[1].file, "/work/dir/v");
}

TEST(AuthSettings, WhatIsWrongIsNamed) {
  const auto problems = [](const std::string& text) {
    return brief(load(with_auth(text)).problems);
  };
  EXPECT_THAT(problems("  Team: {basic: {file: u}}\n"), ElementsAre("3:3 auth.Team invalid_value"));
  EXPECT_THAT(
      problems("  t: {basic: {fil: u}}\n"),
      ElementsAre("3:15 auth.t.basic.fil unknown_key", "3:14 auth.t.basic.file missing_key"));
  EXPECT_THAT(problems("  t: {basic: {file: u}, raed: anyone}\n"),
              ElementsAre("3:25 auth.t.raed unknown_key"));
  EXPECT_THAT(problems("  t: {basic: {file: u}, read: everyone}\n"),
              ElementsAre("3:31 auth.t.read unknown_value"));
  EXPECT_THAT(problems("  t: {basic: {file: u}, read: [\"a:b\"]}\n"),
              ElementsAre("3:32 auth.t.read invalid_value"));
  EXPECT_THAT(problems("  t: {basic: {file: u}, realm: \"\xc3\xb6\"}\n"),
              ElementsAre("3:32 auth.t.realm invalid_value"));
  EXPECT_THAT(problems("  t: {basic: {users: [\"alice:secret\"]}}\n").front(),
              "3:23 auth.t.basic.users invalid_value");
  EXPECT_THAT(problems("  t: 5\n").front(), "3:6 auth.t wrong_type");
  EXPECT_THAT(brief(load(file_inputs("schema: 1\nauth: [a]\n")).problems),
              ElementsAre("2:7 auth wrong_type"));
}

TEST(AuthSettings, ARouteNamesAnEntry) {
  Inputs inputs = file_inputs("schema: 1\nauth: {team: {basic: {users: [\"alice:" + kHash +
                              "\"]}}}\n"
                              "routes: [{path: /, respond: {}, auth: taem}]\n");
  const Plan plan = check_inputs(inputs, nullptr, {54'321, 54'321, "/nonexistent"});
  ASSERT_THAT(brief(plan.problems), ElementsAre("3:39 routes[0].auth unknown_auth"));
  EXPECT_EQ(plan.problems.front().suggestion, "team");
}

}  // namespace
}  // namespace servery
