#include "config/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/unique_fd.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Check : public ::testing::Test {
 protected:
  Check() {
    char name[] = "/tmp/servery-check-XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  ~Check() override { std::filesystem::remove_all(directory_); }

  Inputs inputs(const std::string& text) const {
    Inputs out = file_inputs("schema: 1\n" + text);
    out.file_path = directory_ + "/site.yaml";
    out.working_directory = directory_;
    return out;
  }

  std::vector<std::string> problems(const std::string& text) const {
    return brief(check_inputs(inputs(text), nullptr, environment_).problems);
  }

  std::string directory_;
  CheckEnvironment environment_{54'321, 54'321, "/nonexistent"};
};

TEST_F(Check, APlanHoldsWhatTheSupervisorNeeds) {
  Inputs in = inputs(
      "runtime: {workers: 3, drain_timeout: 7s}\nlimits: {connections: 12}\n"
      "listeners: [{address: \"127.0.0.1:0\"}, {address: \"unix:a.sock\"}, {address: \"fd:x\"}]\n"
      "routes: [{path: /, static: {root: .}}, {path: /b, static: {root: ./}}]\n");
  const Plan plan = check_inputs(in, nullptr, environment_);
  ASSERT_THAT(brief(plan.problems), IsEmpty());
  EXPECT_EQ(plan.profile, "local");
  EXPECT_EQ(plan.config_path, in.file_path);
  EXPECT_EQ(plan.workers, 3u);
  EXPECT_EQ(plan.runtime.drain_timeout, Duration(7000));
  EXPECT_EQ(plan.connections, 12u);
  EXPECT_EQ(plan.log_level, "info");
  EXPECT_EQ(plan.control_socket, "/run/servery/control.sock");
  EXPECT_TRUE(plan.control_socket_default);
  EXPECT_FALSE(plan.default_port_scan);
  EXPECT_FALSE(plan.identity);
  EXPECT_THAT(plan.roots, ElementsAre(directory_));
  ASSERT_EQ(plan.listeners.size(), 3u);
  EXPECT_EQ(plan.listeners[1].path, directory_ + "/a.sock");
  EXPECT_EQ(plan.listeners[1].mode, 0660u);
  EXPECT_EQ(plan.tier, ReloadTier::kNone);
}

TEST_F(Check, TheDefaultPortMayMoveAnAskedOneMayNot) {
  EXPECT_TRUE(check_inputs(inputs(""), nullptr, environment_).default_port_scan);
  const Inputs asked = with_flag(inputs(""), "listeners", "[{address: \"127.0.0.1:8000\"}]");
  EXPECT_FALSE(check_inputs(asked, nullptr, environment_).default_port_scan);
}

TEST_F(Check, AnAskedControlSocketIsTaken) {
  const Plan plan =
      check_inputs(inputs("runtime: {control_socket: c.sock}\n"), nullptr, environment_);
  EXPECT_EQ(plan.control_socket, directory_ + "/c.sock");
  EXPECT_FALSE(plan.control_socket_default);
}

TEST_F(Check, AutoWorkersAreResolved) {
  EXPECT_GE(check_inputs(inputs(""), nullptr, environment_).workers, 1u);
}

TEST_F(Check, RootBecomesNobody) {
  environment_.uid = 0;
  environment_.gid = 0;
  const Plan plan = check_inputs(inputs(""), nullptr, environment_);
  ASSERT_TRUE(plan.identity);
  EXPECT_EQ(plan.identity->user, "nobody");
}

TEST_F(Check, Roots) {
  std::ofstream(directory_ + "/file") << "x";
  EXPECT_THAT(problems("routes:\n  - {path: /a, static: {root: gone}}\n"
                       "  - {path: /b, static: {root: file}}\n"),
              ElementsAre("3:31 routes[0].static.root missing_root",
                          "4:31 routes[1].static.root not_a_directory"));
}

TEST_F(Check, ConflictsBetweenValues) {
  EXPECT_THAT(problems("runtime: {workers: 2, min_workers: 3}\n"),
              ElementsAre("2:36 runtime.min_workers conflict"));
  EXPECT_THAT(problems("runtime: {restart: {backoff_initial: 2s, backoff_max: 1s}}\n"),
              ElementsAre("2:38 runtime.restart.backoff_initial conflict"));
  EXPECT_THAT(problems("runtime: {heartbeat: {suspect: 3s, abort: 2s}}\n"),
              ElementsAre("2:43 runtime.heartbeat.abort conflict"));
  EXPECT_THAT(problems("runtime: {heartbeat: {suspect: 500ms, abort: 2s}}\n"), IsEmpty());
  EXPECT_THAT(problems("listeners: [{address: \":80\", mode: \"0600\"}]\n"),
              ElementsAre("2:36 listeners[0].mode conflict"));
  EXPECT_THAT(problems("routes: [{path: /, respond: {status: 204, body: x}}]\n"),
              ElementsAre("2:49 routes[0].respond.body conflict"));
  EXPECT_THAT(problems("routes: [{path: /, static: {root: ., readme: true}}]\n"),
              ElementsAre("2:46 routes[0].static.readme conflict"));
  EXPECT_THAT(problems("routes: [{path: /, static: {root: ., listing: true, readme: true}}]\n"),
              IsEmpty());
}

TEST_F(Check, StaticFilesAreOnlyRead) {
  EXPECT_THAT(problems("routes: [{path: /, methods: any, static: {root: .}}]\n"),
              ElementsAre("2:29 routes[0].methods method_not_taken"));
  EXPECT_THAT(problems("routes: [{path: /, methods: [GET, POST], static: {root: .}}]\n"),
              ElementsAre("2:29 routes[0].methods method_not_taken"));
  EXPECT_THAT(problems("routes: [{path: /, methods: [HEAD], static: {root: .}}]\n"), IsEmpty());
}

TEST_F(Check, Users) {
  EXPECT_THAT(problems("runtime: {user: no-such-user}\n"),
              ElementsAre("2:17 runtime.user unknown_user"));
  EXPECT_THAT(problems("runtime: {user: daemon}\n"), ElementsAre("2:17 runtime.user needs_root"));
}

TEST_F(Check, Listeners) {
  EXPECT_THAT(problems("listeners: []\n"), ElementsAre("2:12 listeners empty_value"));
  EXPECT_THAT(problems("listeners: [{address: \":80\"}, {address: \"0.0.0.0:80\"}]\n"),
              ElementsAre("2:41 listeners[1].address duplicate_listener"));
  EXPECT_THAT(problems("listeners: [{address: \"unix:gone/a\"}]\n"),
              ElementsAre("2:23 listeners[0].address missing_directory"));
  std::ofstream(directory_ + "/file") << "x";
  EXPECT_THAT(problems("listeners: [{address: \"unix:file\"}]\n"),
              ElementsAre("2:23 listeners[0].address not_a_socket"));
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/file"));
}

TEST_F(Check, ASocketInPlaceIsTheSupervisorsBusiness) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (directory_ + "/s").copy(address.sun_path, sizeof(address.sun_path) - 1);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_THAT(problems("listeners: [{address: \"unix:s\"}]\n"), IsEmpty());
}

TEST_F(Check, Hosts) {
  EXPECT_THAT(problems("canonical_host: a.org\n"), ElementsAre("2:17 canonical_host conflict"));
  EXPECT_THAT(problems("hosts: [b.org]\ncanonical_host: a.org\n"),
              ElementsAre("3:17 canonical_host host_not_served"));
  EXPECT_THAT(problems("hosts: [\"*.org\"]\ncanonical_host: a.org\n"), IsEmpty());
  EXPECT_THAT(problems("hosts: [b.org]\nroutes: [{host: a.org, path: /, respond: {}}]\n"),
              ElementsAre("3:17 routes[0].host host_not_served"));
  Inputs both = inputs("hosts: [b.org]\n");
  both.local_hosts = {"box"};
  EXPECT_THAT(brief(check_inputs(both, nullptr, environment_).problems),
              ElementsAre("2:8 hosts conflict"));
}

TEST_F(Check, RedirectsNeverLeadOutsideHosts) {
  const std::string route = "routes: [{path: /, redirect: {to: \"https://{host}/\"}}]\n";
  EXPECT_THAT(problems(route), ElementsAre("2:35 routes[0].redirect.to open_redirect"));
  EXPECT_THAT(problems("hosts: [\"*\"]\n" + route),
              ElementsAre("3:35 routes[0].redirect.to open_redirect"));
  EXPECT_THAT(problems("hosts: [a.org]\n" + route), IsEmpty());
}

TEST_F(Check, OverlappingRoutes) {
  EXPECT_THAT(problems("routes:\n"
                       "  - {path: /a, respond: {}}\n"
                       "  - {path: /a, methods: [POST], respond: {}}\n"
                       "  - {path: =/a, respond: {}}\n"
                       "  - {path: /a, host: b.org, respond: {}}\n"
                       "  - {path: /a, methods: [HEAD], respond: {}}\n"
                       "  - {path: /a, methods: any, respond: {}}\n"),
              ElementsAre("7:5 routes[4] duplicate_route", "8:5 routes[5] duplicate_route"));
}

TEST_F(Check, ABadValueCausesNoFurtherProblems) {
  EXPECT_THAT(
      problems("hosts: 5\ncanonical_host: a.org\nruntime: {workers: x, min_workers: 900}\n"
               "routes: [{path: a, respond: {}}, {path: /, respond: {}},"
               " {path: b, respond: {}}]\n"),
      ElementsAre("2:8 hosts wrong_type", "4:20 runtime.workers wrong_type",
                  "5:17 routes[0].path invalid_value", "5:65 routes[2].path invalid_value"));
}

TEST_F(Check, AllKindsOfProblemsAtOnce) {
  EXPECT_THAT(
      problems("pool: {queue: x}\nroutes: [{path: /, static: {root: gone}}]\n"
               "listeners: [{address: \"unix:gone/a\"}]\n"),
      ElementsAre("2:15 pool.queue wrong_type", "4:23 listeners[0].address missing_directory",
                  "3:35 routes[0].static.root missing_root"));
}

TEST_F(Check, ComparesWithTheOldInputs) {
  const Inputs old = inputs("pool: {queue: 5}\n");
  const Inputs now = inputs("pool: {queue: 6}\n");
  const Plan plan = check_inputs(now, &old, environment_);
  EXPECT_EQ(plan.tier, ReloadTier::kGeneration);
  EXPECT_THAT(plan.changes,
              ElementsAre(PlanChange{"pool.queue", "5", "6", ReloadTier::kGeneration}));
  EXPECT_EQ(check_inputs(now, &now, environment_).tier, ReloadTier::kNone);
}

TEST_F(Check, TheFingerprintSeesSettingsAndRoots) {
  std::filesystem::create_directory(directory_ + "/www");
  const Inputs in = inputs("routes: [{path: /, static: {root: www}}]\n");
  const auto fingerprint = [this](const Inputs& each) {
    return check_inputs(each, nullptr, environment_).fingerprint;
  };
  const std::string first = fingerprint(in);
  EXPECT_EQ(fingerprint(in), first);
  Inputs comment = in;
  comment.file_text += "# a comment\n";
  EXPECT_EQ(fingerprint(comment), first);
  EXPECT_NE(fingerprint(with_flag(in, "pool.queue", "9")), first);
  std::filesystem::create_directory(directory_ + "/other");
  std::filesystem::rename(directory_ + "/www", directory_ + "/was");
  std::filesystem::rename(directory_ + "/other", directory_ + "/www");
  EXPECT_NE(fingerprint(in), first);
}

TEST_F(Check, LeavesNothingBehind) {
  check_inputs(inputs("listeners: [{address: \"unix:a.sock\"}]\nruntime: {control_socket: c}\n"),
               nullptr, environment_);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

}  // namespace
}  // namespace servery
