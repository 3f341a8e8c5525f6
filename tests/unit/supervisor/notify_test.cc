#include "supervisor/notify.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

namespace servery {
namespace {

using testing::MatchesRegex;

// The service manager's end of NOTIFY_SOCKET.
class Manager {
 public:
  explicit Manager(const std::string& name) {
    fd_ = UniqueFd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    socklen_t size = sizeof address;
    if (name[0] == '@') {
      address.sun_path[0] = '\0';
      size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    }
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  // The next datagram, and the descriptor that came with it.
  std::string receive(UniqueFd* passed = nullptr) {
    char text[2048];
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    iovec data{text, sizeof text};
    msghdr header{};
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC);
    if (size < 0) return "(nothing)";
    if (const cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr && passed != nullptr) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(rights), sizeof fd);
      passed->reset(fd);
    }
    return std::string(text, static_cast<std::size_t>(size));
  }

 private:
  UniqueFd fd_;
};

std::string abstract_name() { return "@servery-notify-test-" + std::to_string(getpid()); }

TEST(Notify, WithoutAManagerNothingHappens) {
  unsetenv("NOTIFY_SOCKET");
  auto notify = Notify::from_environment();
  ASSERT_TRUE(notify);
  EXPECT_FALSE(notify->is_active());
  notify->ready("x");
}

TEST(Notify, EveryStateIsSaidInTheManagersWords) {
  Manager manager(abstract_name());
  auto notify = Notify::from_environment();
  ASSERT_TRUE(notify && notify->is_active());
  EXPECT_EQ(getenv("NOTIFY_SOCKET"), nullptr) << "a child must not see it";
  notify->ready("generation 1");
  EXPECT_EQ(manager.receive(), "READY=1\nSTATUS=generation 1\n");
  notify->reloading("reading");
  EXPECT_THAT(manager.receive(),
              MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+\nSTATUS=reading\n"));
  notify->status("one\nREADY=1");
  EXPECT_EQ(manager.receive(), "STATUS=one READY=1\n") << "one line stays one line";
  notify->stopping("bye");
  EXPECT_EQ(manager.receive(), "STOPPING=1\nSTATUS=bye\n");
  notify->watchdog();
  EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
  notify->extend_timeout(Milliseconds(1500));
  EXPECT_EQ(manager.receive(), "EXTEND_TIMEOUT_USEC=1500000\n");
  notify->unstore("l-1-0");
  EXPECT_EQ(manager.receive(), "FDSTOREREMOVE=1\nFDNAME=l-1-0\n");
}

TEST(Notify, AStoredDescriptorTravelsWithItsName) {
  Manager manager(abstract_name());
  auto notify = Notify::from_environment();
  ASSERT_TRUE(notify);
  const UniqueFd kept(open("/dev/null", O_RDONLY | O_CLOEXEC));
  notify->store("l-0123456789abcdef-2", kept.get());
  UniqueFd passed;
  EXPECT_EQ(manager.receive(&passed), "FDSTORE=1\nFDNAME=l-0123456789abcdef-2\n");
  struct stat sent {};
  struct stat received {};
  ASSERT_EQ(fstat(kept.get(), &sent), 0);
  ASSERT_EQ(fstat(passed.get(), &received), 0);
  EXPECT_EQ(sent.st_ino, received.st_ino);
}

TEST(Notify, ASocketInTheFileSystemWorksToo) {
  char name[] = "/tmp/servery-notify-XXXXXX";
  const std::string directory = mkdtemp(name);
  {
    Manager manager(directory + "/notify");
    auto notify = Notify::from_environment();
    ASSERT_TRUE(notify);
    notify->watchdog();
    EXPECT_EQ(manager.receive(), "WATCHDOG=1\n");
  }
  std::filesystem::remove_all(directory);
}

TEST(Notify, AnAddressThatIsNoneIsAnError) {
  for (const std::string& bad :
       {std::string("relative"), std::string("/") + std::string(200, 'x')}) {
    setenv("NOTIFY_SOCKET", bad.c_str(), 1);
    EXPECT_FALSE(Notify::from_environment()) << bad;
  }
}

TEST(Notify, TheWatchdogIsFedTwiceAnInterval) {
  Manager manager(abstract_name());
  setenv("WATCHDOG_USEC", "3000000", 1);
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  auto notify = Notify::from_environment();
  ASSERT_TRUE(notify);
  EXPECT_EQ(notify->watchdog_interval(), Milliseconds(1500));
  EXPECT_EQ(getenv("WATCHDOG_USEC"), nullptr);
  setenv("NOTIFY_SOCKET", abstract_name().c_str(), 1);
  setenv("WATCHDOG_USEC", "3000000", 1);
  setenv("WATCHDOG_PID", "1", 1);
  auto others = Notify::from_environment();
  ASSERT_TRUE(others);
  EXPECT_EQ(others->watchdog_interval(), std::nullopt) << "meant for another process";
}

class InheritedFdsTest : public testing::Test {
 protected:
  static void announce(const char* count, const char* names, pid_t pid = getpid()) {
    setenv("LISTEN_PID", std::to_string(pid).c_str(), 1);
    setenv("LISTEN_FDS", count, 1);
    if (names != nullptr) setenv("LISTEN_FDNAMES", names, 1);
  }
  static void expect_variables_gone() {
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) {
      EXPECT_EQ(getenv(name), nullptr) << name;
    }
  }
};

TEST_F(InheritedFdsTest, NoneWithoutVariables) {
  const auto fds = take_inherited_fds();
  ASSERT_TRUE(fds);
  EXPECT_TRUE(fds->empty());
}

TEST_F(InheritedFdsTest, AnotherProcessesAreNotOurs) {
  announce("1", "http", 1);
  const auto fds = take_inherited_fds();
  ASSERT_TRUE(fds);
  EXPECT_TRUE(fds->empty());
  expect_variables_gone();
}

TEST_F(InheritedFdsTest, NamesAndNumbersMustAgree) {
  announce("2", "http");
  EXPECT_FALSE(take_inherited_fds());
  expect_variables_gone();
  for (const char* count : {"-1", "x", "99999", ""}) {
    announce(count, nullptr);
    EXPECT_FALSE(take_inherited_fds()) << count;
  }
}

// Descriptor numbers are fixed by the protocol, so this runs in a child of its own.
TEST_F(InheritedFdsTest, DescriptorsFromThreeOnAreTaken) {
  EXPECT_EXIT(
      {
        const int source = open("/dev/null", O_RDONLY);
        if (source != 3) dup2(source, 3);
        dup2(3, 4);
        announce("2", "http:admin");
        auto fds = take_inherited_fds();
        const bool good = fds && fds->size() == 2 && (*fds)[0].name == "http" &&
                          (*fds)[0].number == 3 && (*fds)[1].name == "admin" &&
                          (*fds)[1].fd.get() == 4 && (fcntl(3, F_GETFD) & FD_CLOEXEC) != 0;
        _exit(good ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(InheritedFdsTest, ADescriptorThatIsNotOpenIsAnError) {
  EXPECT_EXIT(
      {
        closefrom(3);
        announce("1", nullptr);
        _exit(take_inherited_fds() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace servery
