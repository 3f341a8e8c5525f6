#include "supervisor/control_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "supervisor/control_server.h"

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Handler final : public ControlHandler {
 public:
  void on_request(const Json& request, ControlReply reply) override {
    react(request, std::move(reply));
  }
  std::function<void(const Json&, ControlReply)> react;
};

// A server on the test's loop, the command on a thread beside it.
class ControlClientTest : public testing::Test {
 protected:
  ControlClientTest() : loop_(std::move(*Loop::create())) {
    char name[] = "/tmp/servery-client-XXXXXX";
    directory_ = mkdtemp(name);
    request_.socket = directory_ + "/control.sock";
    handler_.react = [this](const Json& request, ControlReply reply) {
      asked_ = request;
      reply.finish(0, {{"state", "ready"}});
    };
  }
  ~ControlClientTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<ControlServer> serve(const std::string& name) {
    ControlServer::Options options;
    options.path = directory_ + "/" + name;
    return std::move(*ControlServer::create(*loop_, options, handler_));
  }
  int run_against_server() {
    int exit_code = -1;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    std::thread client([this, &exit_code] {
      exit_code = run_control_command(request_);
      loop_->post([this] { loop_->stop(); });
    });
    loop_->run();
    client.join();
    out_ = testing::internal::GetCapturedStdout();
    error_ = testing::internal::GetCapturedStderr();
    return exit_code;
  }
  int run_alone() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = run_control_command(request_);
    out_ = testing::internal::GetCapturedStdout();
    error_ = testing::internal::GetCapturedStderr();
    return exit_code;
  }

  std::unique_ptr<Loop> loop_;
  std::string directory_;
  Handler handler_;
  ControlRequest request_;
  Json asked_;
  std::string out_;
  std::string error_;
};

TEST_F(ControlClientTest, NoServerIsExitThree) {
  EXPECT_EQ(run_alone(), 3);
  EXPECT_THAT(error_, HasSubstr("no server at " + request_.socket));
  request_.socket_given = true;
  EXPECT_EQ(run_alone(), 3);
  std::ofstream(request_.socket) << "a file";
  EXPECT_EQ(run_alone(), 3);
}

TEST_F(ControlClientTest, NoServerInJson) {
  request_.json = true;
  EXPECT_EQ(run_alone(), 3);
  const auto answer = parse_json(out_, 1 << 16);
  ASSERT_TRUE(answer);
  EXPECT_EQ((*answer)["verdict"], "failed");
  EXPECT_EQ((*answer)["problems"][0]["reason"], "no_server");
  EXPECT_EQ(error_, "");
}

TEST_F(ControlClientTest, TheAnswerIsPrintedForPeopleOrPrograms) {
  const auto server = serve("control.sock");
  EXPECT_EQ(run_against_server(), 0);
  EXPECT_THAT(out_, HasSubstr("servery -: ready"));
  request_.json = true;
  EXPECT_EQ(run_against_server(), 0);
  EXPECT_EQ(out_, "{\"state\":\"ready\"}\n");
}

TEST_F(ControlClientTest, TheServersExitCodeIsOurs) {
  const auto server = serve("control.sock");
  handler_.react = [](const Json&, ControlReply reply) {
    reply.progress("waiting for generation 2");
    reply.finish(2, {{"verdict", "invalid"}, {"problems", Json::array()}});
  };
  request_.command = ControlCommand::kReload;
  EXPECT_EQ(run_against_server(), 2);
  EXPECT_EQ(error_, "waiting for generation 2\n");
  EXPECT_EQ(out_, "reload: invalid\n");
}

TEST_F(ControlClientTest, ARefusalIsTold) {
  const auto server = serve("control.sock");
  handler_.react = [](const Json&, ControlReply reply) { reply.fail(1, "stopping"); };
  request_.command = ControlCommand::kPlan;
  EXPECT_EQ(run_against_server(), 1);
  EXPECT_EQ(error_, "servery plan: stopping\n");
}

TEST_F(ControlClientTest, AServerThatDiesUnansweredIsAFailure) {
  auto server = serve("control.sock");
  std::optional<ControlReply> waiting;
  handler_.react = [&](const Json&, ControlReply reply) {
    waiting.emplace(std::move(reply));
    loop_->post([&server] { server.reset(); });
  };
  EXPECT_EQ(run_against_server(), 1);
  EXPECT_THAT(error_, HasSubstr("went away"));
}

// A supervisor that is stopped or hangs: its kernel still takes connections for it.
TEST_F(ControlClientTest, AServerThatSaysNothingIsNotWaitedFor) {
  const auto server = serve("control.sock");
  request_.patience = Milliseconds(50);
  for (const auto command : {ControlCommand::kStatus, ControlCommand::kPlan,
                             ControlCommand::kReload, ControlCommand::kStop}) {
    request_.command = command;
    EXPECT_EQ(run_alone(), 1);
    EXPECT_THAT(error_, HasSubstr(request_.socket + " does not answer"));
  }
}

TEST_F(ControlClientTest, AnAnswerThatTakesLongIsWaitedForWhileTheServerLives) {
  const auto server = serve("control.sock");
  request_.patience = Milliseconds(20);
  request_.command = ControlCommand::kReload;
  std::optional<ControlReply> waiting;
  int probes = 0;
  handler_.react = [&](const Json& request, ControlReply reply) {
    if (request["command"] == "reload") {
      waiting.emplace(std::move(reply));
      return;
    }
    reply.finish(0, {{"state", "ready"}});
    if (++probes == 2) waiting->finish(0, {{"verdict", "committed"}});
  };
  EXPECT_EQ(run_against_server(), 0);
  EXPECT_EQ(probes, 2);
  EXPECT_THAT(out_, HasSubstr("committed"));
}

TEST_F(ControlClientTest, StopWaitsUntilTheServerIsGone) {
  auto server = serve("control.sock");
  bool gone = false;
  handler_.react = [&](const Json&, ControlReply reply) {
    reply.finish(0, {{"verdict", "stopped"}});
    loop_->post([&] {
      gone = true;
      server.reset();
    });
  };
  request_.command = ControlCommand::kStop;
  EXPECT_EQ(run_against_server(), 0);
  EXPECT_TRUE(gone);
}

TEST_F(ControlClientTest, TheOnlyLiveSocketIsTakenAndSeveralAreListed) {
  auto first = serve("control-1.sock");
  std::ofstream(directory_ + "/stale.sock") << "";
  EXPECT_THAT(live_control_sockets(directory_), ElementsAre(directory_ + "/control-1.sock"));
  EXPECT_EQ(run_against_server(), 0) << "the default name is missing, this one is the only one";
  const auto second = serve("control-2.sock");
  EXPECT_EQ(run_alone(), 2);
  EXPECT_THAT(error_, HasSubstr("control-1.sock"));
  EXPECT_THAT(error_, HasSubstr("control-2.sock"));
  request_.socket = directory_ + "/control-2.sock";
  request_.socket_given = true;
  EXPECT_EQ(run_against_server(), 0);
}

TEST_F(ControlClientTest, RequestsCarryWhatWasAsked) {
  const auto server = serve("control.sock");
  request_.command = ControlCommand::kReload;
  request_.config_path = "/etc/servery.yaml";
  request_.wait_drained = true;
  EXPECT_EQ(run_against_server(), 0);
  EXPECT_EQ(asked_,
            (Json{{"command", "reload"}, {"config", "/etc/servery.yaml"}, {"wait_drained", true}}));
  ControlRequest stop;
  stop.command = ControlCommand::kStop;
  stop.timeout = Milliseconds(1500);
  EXPECT_EQ(control_message(stop), (Json{{"command", "stop"}, {"timeout_ms", 1500}}));
}

}  // namespace
}  // namespace servery
