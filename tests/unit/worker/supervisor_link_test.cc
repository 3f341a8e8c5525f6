// A worker's end of the channel, with this test as its supervisor.
#include "worker/supervisor_link.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>
#include <optional>

#include "common/base/log.h"
#include "config/inputs.h"
#include "config/named_files.h"
#include "ipc/memfd.h"
#include "tests/support/temp_tree.h"

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Shared memory as a supervisor makes it.
template <typename T>
UniqueFd shared_memory(std::size_t bytes) {
  UniqueFd fd(::memfd_create("servery-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  EXPECT_NE(data, MAP_FAILED);
  T& made = *new (data) T;
  made.header.bytes = static_cast<std::uint32_t>(bytes);
  if constexpr (requires { made.page_capacity; }) made.page_capacity = 1;
  ::munmap(data, bytes);
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL), 0);
  return fd;
}

class SupervisorLinkTest : public testing::Test {
 protected:
  SupervisorLinkTest() {
    log::set_level(log::Level::kError);
    auto ends = ipc::Channel::create_pair();
    supervisor.emplace(std::move(ends->first));
    link.emplace(*loop, ipc::Channel(std::move(ends->second)), 0, 1);
    EXPECT_TRUE(link->start().has_value());
    tree.file("a.txt", "hello");
  }
  ~SupervisorLinkTest() override { log::set_level(log::Level::kInfo); }

  void send(ipc::ToWorker message) {
    auto packet = ipc::encode(std::move(message));
    ASSERT_TRUE(packet.has_value());
    ASSERT_TRUE(supervisor->send(std::move(*packet)).has_value());
  }
  void configure(const std::string& text) {
    Inputs inputs;
    inputs.file_path = "/etc/test.yaml";
    inputs.file_text = text;
    inputs.working_directory = "/";
    auto sealed = ipc::seal_text("test-inputs", inputs.encode());
    auto files = ipc::seal_text("test-files", encode_named_files({}));
    ipc::Roots roots;
    roots.roots.push_back(
        {tree.path(), UniqueFd(::open(tree.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))});
    send(std::move(roots));
    send(ipc::Configure{1000, 0, std::move(*sealed), std::move(*files),
                        shared_memory<WorkerPage>(kSharedPageBytes),
                        shared_memory<RateTable>(rate_table_bytes(1))});
  }
  std::string good() const {
    return "schema: 1\nroutes: [{path: /, static: {root: \"" + tree.path() + "\"}}]\n";
  }
  // A listening socket whose only other copy goes to the worker.
  void listen() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    ASSERT_EQ(::listen(fd.get(), 16), 0);
    ASSERT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    ipc::Listen message;
    message.sockets.push_back({"l-test-0", "127.0.0.1:0", 0, false, false, std::move(fd)});
    send(std::move(message));
  }
  bool can_connect() const {
    const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  template <typename Message>
  static std::string_view name_of() {
    if constexpr (std::is_same_v<Message, ipc::SupervisorHello>) return "hello";
    if constexpr (std::is_same_v<Message, ipc::Prepared>) return "prepared";
    if constexpr (std::is_same_v<Message, ipc::Failed>) return "failed";
    if constexpr (std::is_same_v<Message, ipc::Ready>) return "ready";
    if constexpr (std::is_same_v<Message, ipc::StoppedAccepting>) return "stopped";
    if constexpr (std::is_same_v<Message, ipc::TakenOver>) return "taken";
    if constexpr (std::is_same_v<Message, ipc::Drained>) return "drained";
    return "other";
  }

  // Until the worker leaves: `step` is called with the name of each thing it says. The exit code.
  int run(const std::function<void(std::string_view)>& step = [](std::string_view) {}) {
    Timer limit(*loop, [this] { loop->stop(); });
    limit.start_once(Milliseconds(20'000));
    Timer look(*loop, [&] { read_all(step); });
    look.start_repeating(Milliseconds(1));
    loop->run();
    EXPECT_TRUE(limit.is_active()) << "it never left";
    const int code = link->finish();
    read_all([](std::string_view) {});
    return code;
  }
  void read_all(const std::function<void(std::string_view)>& step) {
    while (supervisor) {
      auto packet = supervisor->receive();
      if (!packet || !*packet) return;
      auto message = ipc::decode_to_supervisor(std::move(**packet));
      ASSERT_TRUE(message.has_value());
      if (auto* failed = std::get_if<ipc::Failed>(&*message)) failure = failed->text;
      if (auto* taken = std::get_if<ipc::TakenOver>(&*message)) taken_ids = taken->ids;
      said.emplace_back(
          std::visit([](const auto& m) { return name_of<std::decay_t<decltype(m)>>(); }, *message));
      step(said.back());
    }
  }

  test::TempTree tree;
  std::unique_ptr<Loop> loop = std::move(*Loop::create());
  std::optional<ipc::Channel> supervisor;
  std::optional<SupervisorLink> link;
  sockaddr_in address{};
  std::vector<std::string> said;
  std::string failure;
  std::vector<std::uint64_t> taken_ids;
};

TEST_F(SupervisorLinkTest, PreparesServesAndDrains) {
  configure(good());
  const int code = run([this](std::string_view word) {
    if (word == "prepared") {
      listen();
      send(ipc::Serve{});
    } else if (word == "ready") {
      EXPECT_TRUE(can_connect());
      send(ipc::StopAccepting{});
      send(ipc::Drain{static_cast<std::uint64_t>(SteadyTime::max().time_since_epoch().count()),
                      false});
    }
  });
  EXPECT_EQ(code, 0);
  EXPECT_THAT(said, ElementsAre("hello", "prepared", "ready", "stopped", "drained"));
}

TEST_F(SupervisorLinkTest, WhatCannotBeLoadedIsItsFailure) {
  configure("schema: 1\nrouts: []\n");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(said, ElementsAre("hello", "failed"));
  EXPECT_THAT(failure, HasSubstr("/etc/test.yaml:2:1: routs: unknown key"));
}

TEST_F(SupervisorLinkTest, ARootItWasNotGivenIsItsFailure) {
  configure("schema: 1\nroutes: [{path: /, static: {root: /elsewhere}}]\n");
  EXPECT_EQ(run(), 1);
  EXPECT_THAT(failure, HasSubstr("/elsewhere"));
}

TEST_F(SupervisorLinkTest, ToldToQuitItLeavesWithoutAWord) {
  configure(good());
  EXPECT_EQ(run([this](std::string_view word) {
              if (word == "prepared") send(ipc::Quit{});
            }),
            0);
  EXPECT_THAT(said, ElementsAre("hello", "prepared"));
}

TEST_F(SupervisorLinkTest, TakesNoConnectionBeforeItServes) {
  configure(good());
  run([this](std::string_view word) {
    if (word == "prepared") {
      ipc::TakeOver offered;
      offered.connections.push_back(
          {7, "l-test-0", "127.0.0.1", 1, 0, UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC))});
      send(std::move(offered));
    } else if (word == "taken") {
      send(ipc::Quit{});
    }
  });
  EXPECT_TRUE(taken_ids.empty());
  EXPECT_THAT(said, ElementsAre("hello", "prepared", "taken"));
}

TEST_F(SupervisorLinkTest, OutOfOrderMessagesEndIt) {
  send(ipc::Serve{});
  log::set_level(log::Level::kError);
  EXPECT_EQ(run(), 1);
}

TEST_F(SupervisorLinkTest, ASupervisorThatIsGoneBeforeItServesEndsIt) {
  configure(good());
  EXPECT_EQ(run([this](std::string_view word) {
              if (word == "prepared") supervisor.reset();
            }),
            1);
}

TEST_F(SupervisorLinkTest, ASupervisorThatIsGoneClosesTheSocketsAndDrains) {
  configure(good());
  EXPECT_EQ(run([this](std::string_view word) {
              if (word == "prepared") {
                listen();
                send(ipc::Serve{});
              } else if (word == "ready") {
                supervisor.reset();
              }
            }),
            0);
  EXPECT_FALSE(can_connect());
}

}  // namespace
}  // namespace servery
