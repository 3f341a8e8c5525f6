#include "supervisor/unix_listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace servery {
namespace {

namespace fs = std::filesystem;

class UnixListenerTest : public testing::Test {
 protected:
  UnixListenerTest() {
    char name[] = "/tmp/servery-unix-XXXXXX";
    directory_ = mkdtemp(name);
    path_ = directory_ + "/s";
  }
  ~UnixListenerTest() override { fs::remove_all(directory_); }

  UnixListener publish(std::uint32_t mode = 0600) {
    auto listener = UnixListener::bind(path_, mode);
    EXPECT_TRUE(listener) << listener.error().text;
    EXPECT_TRUE(listener->publish(8));
    return std::move(*listener);
  }
  // A socket file whose owner died.
  void leave_dead_socket() {
    const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  UnixSocketState state() const { return *probe_unix_socket(path_); }
  ino_t inode() const {
    struct stat info {};
    return lstat(path_.c_str(), &info) == 0 ? info.st_ino : 0;
  }

  std::string directory_;
  std::string path_;
};

TEST_F(UnixListenerTest, NothingIsVisibleBeforeItListens) {
  auto listener = UnixListener::bind(path_, 0600);
  ASSERT_TRUE(listener);
  EXPECT_EQ(state(), UnixSocketState::kMissing);
  ASSERT_TRUE(listener->publish(8));
  EXPECT_EQ(state(), UnixSocketState::kLive);
  listener->reset();
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UnixListenerTest, AnUnpublishedOneLeavesNothingBehind) {
  { ASSERT_TRUE(UnixListener::bind(path_, 0600)); }
  EXPECT_TRUE(fs::is_empty(directory_));
}

TEST_F(UnixListenerTest, TheModeIsTheOneAskedForWhateverTheUmask) {
  const mode_t before = umask(077);
  const UnixListener listener = publish(0666);
  umask(before);
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666U);
}

TEST_F(UnixListenerTest, ADeadSocketIsReplaced) {
  leave_dead_socket();
  EXPECT_EQ(state(), UnixSocketState::kDead);
  const UnixListener listener = publish();
  EXPECT_EQ(state(), UnixSocketState::kLive);
}

TEST_F(UnixListenerTest, ALiveOneIsInUseAndKeepsServing) {
  const UnixListener first = publish();
  const ino_t before = inode();
  const auto second = UnixListener::bind(path_, 0600);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kExists);
  EXPECT_EQ(inode(), before);
  EXPECT_EQ(state(), UnixSocketState::kLive);
}

TEST_F(UnixListenerTest, TheLockHoldsFromBindOn) {
  const auto preparing = UnixListener::bind(path_, 0600);
  ASSERT_TRUE(preparing);
  const auto second = UnixListener::bind(path_, 0600);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::kExists);
}

TEST_F(UnixListenerTest, WhatIsNotASocketIsNotTouched) {
  std::ofstream(path_) << "precious";
  const auto refused = UnixListener::bind(path_, 0600);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalid);
  EXPECT_EQ(fs::file_size(path_), 8U);
  fs::remove(path_);
  fs::create_symlink("/nowhere", path_);
  EXPECT_FALSE(UnixListener::bind(path_, 0600));
  EXPECT_TRUE(fs::is_symlink(path_));
  fs::remove(path_);
  EXPECT_TRUE(fs::is_empty(directory_)) << "no lock file either";
}

TEST_F(UnixListenerTest, SomebodyElsesInodeIsNotUnlinked) {
  UnixListener listener = publish();
  fs::remove(path_);
  std::ofstream(path_) << "another";
  listener.reset();
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(UnixListenerTest, UnlinkedItStillAcceptsWhoHadConnected) {
  UnixListener listener = publish();
  const UniqueFd client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  ASSERT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  listener.unlink();
  EXPECT_TRUE(fs::is_empty(directory_));
  EXPECT_TRUE(UniqueFd(accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC)));
  const UnixListener successor = publish();
  listener.reset();
  EXPECT_EQ(state(), UnixSocketState::kLive) << "the path is the successor's";
}

TEST_F(UnixListenerTest, NoticesThatItsPathIsGoneAndLeavesASuccessorAlone) {
  UnixListener listener = publish();
  EXPECT_TRUE(listener.is_in_place());
  fs::remove(path_);
  EXPECT_FALSE(listener.is_in_place());
  fs::remove(path_ + ".lock");
  const UnixListener successor = publish();
  EXPECT_FALSE(listener.is_in_place());
  listener.reset();
  EXPECT_TRUE(fs::exists(path_ + ".lock")) << "the successor's";
  EXPECT_EQ(state(), UnixSocketState::kLive);
}

TEST_F(UnixListenerTest, APathThatDoesNotFitIsInvalid) {
  path_ = directory_ + "/" + std::string(108, 'x');
  const auto refused = UnixListener::bind(path_, 0600);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kInvalid);
}

// Whoever wins the race for a path has it; nobody else thinks so too.
TEST_F(UnixListenerTest, OfManyRacersOneOwnsThePath) {
  leave_dead_socket();
  std::vector<UnixListener> winners(8);
  std::vector<std::thread> racers;
  for (UnixListener& winner : winners) {
    racers.emplace_back([this, &winner] {
      auto bound = UnixListener::bind(path_, 0600);
      if (bound && bound->publish(8)) winner = std::move(*bound);
    });
  }
  for (std::thread& racer : racers) racer.join();
  std::size_t owners = 0;
  for (const UnixListener& winner : winners) owners += winner ? 1 : 0;
  EXPECT_EQ(owners, 1U);
}

}  // namespace
}  // namespace servery
