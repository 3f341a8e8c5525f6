#include "config/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/effective.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Without the padding in front of the comments.
std::string unpadded(std::string text) {
  for (std::size_t at = text.find("  #"); at != std::string::npos; at = text.find("  #")) {
    text.erase(at, 1);
  }
  return text;
}

TEST(Report, TheEffectiveConfigurationNamesOrigins) {
  Inputs inputs = file_inputs(
      "schema: 1\nlimits:\n  connections: 5\nroutes:\n  - path: /\n    static: {root: /srv}\n"
      "  - {path: /h, respond: {}}\n");
  inputs = with_flag(inputs, "pool.queue", "9");
  inputs.local_hosts = {"box"};
  const std::string text = unpadded(effective_yaml(load(inputs)));
  EXPECT_THAT(text, HasSubstr("\n  connections: 5 # site.yaml:3\n"));
  EXPECT_THAT(text, HasSubstr("\n  header_count: 100 # default\n"));
  EXPECT_THAT(text, HasSubstr("\n  queue: 9 # flag --set\n"));
  EXPECT_THAT(text, HasSubstr("\n  - address: \"127.0.0.1:8000\" # profile local\n"));
  EXPECT_THAT(text, HasSubstr("\nroutes:\n  - path: / "));
  EXPECT_THAT(text, HasSubstr("\n    static:\n      root: /srv "));
  EXPECT_THAT(text, HasSubstr("\n  - path: /h "));
  EXPECT_THAT(text, HasSubstr("--host: box"));
}

// What it prints is a configuration with the same effect.
TEST(Report, TheEffectiveConfigurationReadsBack) {
  const Loaded first = load(file_inputs(
      "schema: 1\nheaders: {set: {X-A: \"1\"}}\nlisteners: [{address: \":80\"},"
      " {address: \"unix:/a\", mode: \"0600\"}]\nhosts: [\"*\"]\ncache: {revalidate: 2s}\n"
      "routes:\n  - {path: \"=/x\", methods: any, headers: {remove: [A]}, respond: {body: "
      "\"a\\n\"}}\n"
      "  - {path: /, host: \"*.a.b\", static: {root: /srv, index: []}}\n"
      "  - {path: /o, redirect: {to: \"/n{rest}\"}}\n"));
  ASSERT_THAT(brief(first.problems), IsEmpty());
  const Loaded second = load(file_inputs(effective_yaml(first)));
  EXPECT_THAT(brief(second.problems), IsEmpty());
  EXPECT_THAT(diff_settings(first.settings, second.settings), IsEmpty());
}

TEST(Report, CheckAsJson) {
  Plan plan;
  EXPECT_EQ(dump_json(check_report(plan)), R"({"verdict":"valid","problems":[]})");
  plan.problems.push_back({"f", 1, 2, "k", "r", "m", "s"});
  EXPECT_EQ(
      dump_json(check_report(plan)),
      R"({"verdict":"invalid","problems":[{"file":"f","line":1,"column":2,"key":"k","reason":"r","message":"m","suggestion":"s"}]})");
}

TEST(Report, ExitCodesOfCheckAndConfig) {
  Command command;
  command.inputs = quick_inputs();
  command.inputs.working_directory = "/";
  command.json = true;
  EXPECT_EQ(run_check_command(command), kExitDone);
  command.inputs = with_flag(command.inputs, "pool.queue", "x");
  EXPECT_EQ(run_check_command(command), kExitInputWrong);
  EXPECT_EQ(run_config_command(command), kExitInputWrong);
  command.inputs.file_path = "/nonexistent/site.yaml";
  EXPECT_EQ(run_check_command(command), kExitInputWrong);
  EXPECT_EQ(run_config_command(command), kExitInputWrong);
}

}  // namespace
}  // namespace servery
