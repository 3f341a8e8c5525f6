#include "supervisor/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Handler final : public ControlHandler {
 public:
  void on_request(const Json& request, ControlReply reply) override {
    react(request, std::move(reply));
  }
  std::function<void(const Json&, ControlReply)> react =
      [](const Json& request, ControlReply reply) { reply.finish(0, request); };
};

// A blocking client on a thread of its own, while the loop runs on the test's.
class ControlServerTest : public testing::Test {
 protected:
  ControlServerTest() : loop_(std::move(*Loop::create())) {
    char name[] = "/tmp/servery-control-XXXXXX";
    directory_ = mkdtemp(name);
    options_.path = directory_ + "/servery/control.sock";
  }
  ~ControlServerTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  void start() {
    auto server = ControlServer::create(*loop_, options_, handler_);
    ASSERT_TRUE(server) << server.error().text;
    server_ = std::move(*server);
  }

  UniqueFd connect_client() const {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, options_.path.data(), options_.path.size());
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  // Runs the loop while `body` is a client; stops when it returns.
  void with_client(const std::function<void()>& body) {
    std::thread client([this, &body] {
      body();
      loop_->post([this] { loop_->stop(); });
    });
    loop_->run();
    client.join();
  }
  static void say(const UniqueFd& fd, const std::string& text) {
    EXPECT_EQ(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // The next line without its end; nothing at the end of the connection.
  static std::optional<std::string> hear(const UniqueFd& fd) {
    std::string line;
    char c;
    while (recv(fd.get(), &c, 1, 0) == 1) {
      if (c == '\n') return line;
      line += c;
    }
    return std::nullopt;
  }
  static Json hear_json(const UniqueFd& fd) {
    return *parse_json(hear(fd).value_or("null"), 1 << 24);
  }

  std::unique_ptr<Loop> loop_;
  std::string directory_;
  ControlServer::Options options_;
  Handler handler_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, ARequestGetsItsAnswerAndTheNextOneToo) {
  start();
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}\n{\"command\":");
    EXPECT_EQ(hear_json(fd)["result"]["command"], "status");
    say(fd, "\"plan\"}\n");
    EXPECT_EQ(hear_json(fd)["result"]["command"], "plan");
  });
  EXPECT_EQ(server_->counts().requests, 2U);
  EXPECT_EQ(server_->counts().refused, 0U);
}

TEST_F(ControlServerTest, ALateAnswerComesAfterItsProgressAndBeforeTheNextRequests) {
  start();
  std::vector<std::string> order;
  std::optional<ControlReply> waiting;
  handler_.react = [&](const Json& request, ControlReply reply) {
    order.push_back(request["command"]);
    if (request["command"] == "reload") {
      reply.progress("checking");
      waiting.emplace(std::move(reply));
      loop_->post([&] {
        order.push_back("answered");
        waiting->finish(0, {{"verdict", "committed"}});
        order.push_back("returned");
      });
    } else {
      reply.fail(2, "no");
    }
  };
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"reload\"}\n{\"command\":\"stop\"}\n");
    EXPECT_EQ(hear_json(fd)["progress"], "checking");
    EXPECT_EQ(hear_json(fd)["result"]["verdict"], "committed");
    const Json refused = hear_json(fd);
    EXPECT_EQ(refused["exit"], 2);
    EXPECT_EQ(refused["error"], "no");
  });
  EXPECT_THAT(order, ElementsAre("reload", "answered", "returned", "stop"));
}

TEST_F(ControlServerTest, AReplyThatDiesUnansweredAnswers) {
  start();
  handler_.react = [](const Json&, ControlReply) {};
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}\n");
    EXPECT_EQ(hear_json(fd)["exit"], 1);
  });
}

TEST_F(ControlServerTest, AReplyOutlivesItsClient) {
  start();
  std::optional<ControlReply> waiting;
  handler_.react = [&](const Json&, ControlReply reply) {
    waiting.emplace(std::move(reply));
    loop_->stop();
  };
  UniqueFd fd = connect_client();
  say(fd, "{\"command\":\"reload\"}\n");
  loop_->run();
  fd.reset();
  EXPECT_TRUE(waiting->is_open()) << "half closed is not gone";
  waiting->progress("still here");
  EXPECT_FALSE(waiting->is_open());
  waiting->finish(0, Json::object());
}

TEST_F(ControlServerTest, AnAnswerToAHalfClosedClientArrives) {
  start();
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}\n");
    shutdown(fd.get(), SHUT_WR);
    EXPECT_EQ(hear_json(fd)["exit"], 0);
    EXPECT_EQ(hear(fd), std::nullopt);
  });
}

TEST_F(ControlServerTest, WhatIsNoRequestIsRefusedAndTheConnectionEnds) {
  start();
  with_client([this] {
    for (const std::string bad : {"hello", "[]", "{}", "{\"command\":7}", ""}) {
      const UniqueFd fd = connect_client();
      say(fd, bad + "\n");
      EXPECT_EQ(hear_json(fd)["exit"], 2) << bad;
      EXPECT_EQ(hear(fd), std::nullopt) << bad;
    }
  });
  EXPECT_EQ(server_->counts().refused, 5U);
  EXPECT_EQ(server_->counts().requests, 0U);
}

TEST_F(ControlServerTest, ARequestWithoutItsLineFeedIsRefusedAtTheEnd) {
  start();
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}");
    ::shutdown(fd.get(), SHUT_WR);
    EXPECT_EQ(hear_json(fd)["exit"], 2);
  });
  EXPECT_EQ(server_->counts().requests, 0U);
}

TEST_F(ControlServerTest, AnEndlessLineIsCutOff) {
  start();
  with_client([this] {
    const UniqueFd fd = connect_client();
    const std::string block(16 * 1024, ' ');
    while (send(fd.get(), block.data(), block.size(), MSG_NOSIGNAL) > 0) {
    }
    SUCCEED() << "the server stopped reading and closed";
  });
  EXPECT_EQ(server_->counts().refused, 1U);
}

TEST_F(ControlServerTest, ALargeAnswerReachesASlowReader) {
  start();
  const std::string large(3'000'000, 'x');
  handler_.react = [&large](const Json&, ControlReply reply) { reply.finish(0, large); };
  with_client([this, &large] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"plan\"}\n");
    std::string all;
    std::vector<char> chunk(64 * 1024);
    while (all.empty() || all.back() != '\n') {
      const ssize_t size = recv(fd.get(), chunk.data(), chunk.size(), 0);
      ASSERT_GT(size, 0);
      all.append(chunk.data(), static_cast<std::size_t>(size));
    }
    EXPECT_THAT(all, HasSubstr(large));
  });
}

TEST_F(ControlServerTest, TooManyClientsAreToldSo) {
  options_.max_clients = 2;
  start();
  with_client([this] {
    const UniqueFd first = connect_client();
    const UniqueFd second = connect_client();
    const UniqueFd third = connect_client();
    EXPECT_EQ(hear_json(third)["exit"], 1);
    EXPECT_EQ(hear(third), std::nullopt);
    say(first, "{\"command\":\"status\"}\n");
    EXPECT_EQ(hear_json(first)["exit"], 0) << "the others are served";
  });
}

TEST_F(ControlServerTest, ASilentClientIsClosed) {
  options_.idle_timeout = Milliseconds(1);
  start();
  with_client([this] {
    const UniqueFd fd = connect_client();
    EXPECT_EQ(hear(fd), std::nullopt);
  });
}

TEST_F(ControlServerTest, AnotherUserIsNotPermitted) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become somebody else";
  start();
  // Permissions of the path would stop it first; the peer check must hold without them.
  ASSERT_EQ(chmod(directory_.c_str(), 0755), 0);
  ASSERT_EQ(chmod((directory_ + "/servery").c_str(), 0755), 0);
  ASSERT_EQ(chmod(options_.path.c_str(), 0666), 0);
  int status = -1;
  with_client([this, &status] {
    const pid_t child = fork();
    if (child == 0) {
      if (setresuid(65534, 65534, 65534) != 0) _exit(9);
      const UniqueFd fd = connect_client();
      const std::string answer = hear(fd).value_or("");
      _exit(answer.find("not permitted") != std::string::npos && !hear(fd) ? 0 : 1);
    }
    waitpid(child, &status, 0);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(server_->counts().requests, 0U);
}

TEST_F(ControlServerTest, ADirectoryThatWasThereStays) {
  std::filesystem::create_directory(directory_ + "/servery");
  start();
  server_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/servery"));
}

TEST_F(ControlServerTest, ItsDirectoryIsMadePrivateAndBothGoWithIt) {
  start();
  struct stat info {};
  ASSERT_EQ(stat((directory_ + "/servery").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ASSERT_EQ(stat(options_.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  const auto second = ControlServer::create(*loop_, options_, handler_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kExists);
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/servery"));
}

TEST_F(ControlServerTest, ALostPathIsRestored) {
  start();
  EXPECT_FALSE(*server_->restore()) << "it is there";
  std::filesystem::remove(options_.path);
  EXPECT_TRUE(*server_->restore());
  std::filesystem::remove_all(directory_ + "/servery");
  EXPECT_TRUE(*server_->restore());
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}\n");
    EXPECT_EQ(hear_json(fd)["exit"], 0);
  });
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/servery"));
}

TEST_F(ControlServerTest, APathThatSomebodyElseHasTakenIsTheirs) {
  start();
  std::filesystem::remove_all(directory_ + "/servery");
  std::filesystem::create_directory(directory_ + "/servery");
  const auto other = ControlServer::create(*loop_, options_, handler_);
  ASSERT_TRUE(other);
  const auto restored = server_->restore();
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, Errc::kExists);
  server_.reset();
  with_client([this] {
    const UniqueFd fd = connect_client();
    say(fd, "{\"command\":\"status\"}\n");
    EXPECT_EQ(hear_json(fd)["exit"], 0);
  });
}

TEST_F(ControlServerTest, ADirectoryOthersControlIsNotUsed) {
  const std::string directory = directory_ + "/servery";
  std::filesystem::create_directory(directory);
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  const auto writable = ControlServer::create(*loop_, options_, handler_);
  ASSERT_FALSE(writable);
  EXPECT_EQ(writable.error().code, Errc::kForbidden);
  if (geteuid() != 0) return;
  ASSERT_EQ(chmod(directory.c_str(), 0700), 0);
  ASSERT_EQ(chown(directory.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(ControlServer::create(*loop_, options_, handler_));
}

TEST_F(ControlServerTest, ALinkToADirectoryIsAsGoodAsItsOwner) {
  std::filesystem::create_directory(directory_ + "/real");
  std::filesystem::create_directory_symlink(directory_ + "/real", directory_ + "/servery");
  EXPECT_TRUE(ControlServer::create(*loop_, options_, handler_));
  if (geteuid() != 0) return;
  ASSERT_EQ(lchown((directory_ + "/servery").c_str(), 65534, 65534), 0);
  const auto refused = ControlServer::create(*loop_, options_, handler_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kForbidden);
}

}  // namespace
}  // namespace servery
