#include "common/loop/watch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <utility>
#include <vector>

#include "common/loop/timer.h"

namespace servery {
namespace {

using testing::ElementsAre;

class Watcher final : public FdWatcher {
 public:
  explicit Watcher(std::function<void(int)> react) : react_(std::move(react)) {}
  void on_ready(int events) override { react_(events); }

 private:
  std::function<void(int)> react_;
};

class WatchTest : public testing::Test {
 protected:
  WatchTest() : loop_(std::move(*Loop::create())) {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    ours_.reset(pair[0]);
    theirs_.reset(pair[1]);
  }
  ~WatchTest() override { watch_.reset(); }

  void watch(int events, FdWatcher& watcher) {
    watch_ = std::move(*FdWatch::create(*loop_, ours_.get(), watcher));
    ASSERT_TRUE(watch_.set_events(events));
  }

  std::unique_ptr<Loop> loop_;
  UniqueFd ours_;
  UniqueFd theirs_;
  FdWatch watch_;
};

TEST_F(WatchTest, ReportsWhatWasAskedFor) {
  std::vector<int> seen;
  Watcher watcher([&](int events) {
    seen.push_back(events);
    if (seen.size() == 1) {  // writable at once; from now on only readable
      EXPECT_TRUE(watch_.set_events(FdWatch::kReadable));
      EXPECT_EQ(write(theirs_.get(), "x", 1), 1);
    } else {
      loop_->stop();
    }
  });
  watch(FdWatch::kWritable, watcher);
  EXPECT_EQ(watch_.events(), FdWatch::kWritable);
  loop_->run();
  EXPECT_THAT(seen, ElementsAre(FdWatch::kWritable, FdWatch::kReadable));
  EXPECT_NE(fcntl(ours_.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(WatchTest, TheEndOfThePeerIsADisconnect) {
  int seen = 0;
  Watcher watcher([&](int events) {
    seen = events;
    loop_->stop();
  });
  watch(FdWatch::kReadable | FdWatch::kDisconnect, watcher);
  shutdown(theirs_.get(), SHUT_WR);
  loop_->run();
  EXPECT_EQ(seen, FdWatch::kReadable | FdWatch::kDisconnect);
}

TEST_F(WatchTest, WithoutEventsNothingIsReported) {
  Watcher watcher([](int) { ADD_FAILURE() << "reported"; });
  watch(FdWatch::kReadable, watcher);
  ASSERT_TRUE(watch_.set_events(0));
  EXPECT_EQ(write(theirs_.get(), "x", 1), 1);
  Timer end(*loop_, [this] { loop_->stop(); });
  end.start_once(Milliseconds(5));
  loop_->run();
}

TEST_F(WatchTest, AWatchMayDieInItsOwnCallbackAndTheDescriptorAfterIt) {
  int calls = 0;
  Watcher watcher([&](int) {
    ++calls;
    watch_.reset();
    ours_.reset();
    loop_->stop();
  });
  watch(FdWatch::kReadable, watcher);
  EXPECT_EQ(write(theirs_.get(), "x", 1), 1);
  loop_->run();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(watch_);
}

// Both are ready in one batch; whichever comes first removes the other, which must not be called.
TEST_F(WatchTest, ADeadWatcherIsNotReached) {
  int other[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, other), 0);
  UniqueFd near(other[0]);
  const UniqueFd far(other[1]);
  int calls = 0;
  FdWatch second;
  Watcher watcher([&](int) {
    ++calls;
    watch_.reset();
    second.reset();
    loop_->stop();
  });
  watch(FdWatch::kReadable, watcher);
  second = std::move(*FdWatch::create(*loop_, near.get(), watcher));
  ASSERT_TRUE(second.set_events(FdWatch::kReadable));
  EXPECT_EQ(write(theirs_.get(), "x", 1), 1);
  EXPECT_EQ(write(far.get(), "x", 1), 1);
  loop_->run();
  EXPECT_EQ(calls, 1);
}

// A refused connection: the watch stops and says so, read() has the reason.
TEST_F(WatchTest, AFailedSocketIsReportedOnce) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  UniqueFd closed_port(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(closed_port.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(closed_port.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  ours_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int seen = 0;
  Watcher watcher([&](int events) {
    seen = events;
    loop_->stop();
  });
  watch(FdWatch::kReadable, watcher);
  connect(ours_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  loop_->run();
  EXPECT_EQ(seen, FdWatch::kFailed);
  EXPECT_EQ(watch_.events(), 0);
  char byte;
  EXPECT_EQ(read(ours_.get(), &byte, 1), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
}

TEST_F(WatchTest, ARegularFileCannotBeWatched) {
  char name[] = "/tmp/servery-watch-XXXXXX";
  const UniqueFd file(mkstemp(name));
  unlink(name);
  Watcher watcher([](int) {});
  const auto watch = FdWatch::create(*loop_, file.get(), watcher);
  ASSERT_FALSE(watch);
  EXPECT_EQ(watch.error().code, Errc::kForbidden);
}

TEST_F(WatchTest, EveryEventIsCountedForTheTurn) {
  int calls = 0;
  std::uint64_t turns = loop_->turn();
  Watcher watcher([&](int) {
    EXPECT_GT(loop_->turn(), turns) << "two batches are two turns";
    turns = loop_->turn();
    if (++calls == 3) loop_->stop();
  });
  watch(FdWatch::kWritable, watcher);
  loop_->run();
}

class SignalNotes final : public SignalWatcher {
 public:
  explicit SignalNotes(Loop& loop) : loop_(loop) {}
  void on_signal(int signal, pid_t sender) override {
    seen.emplace_back(signal, sender);
    if (signal == SIGTERM) loop_.stop();
  }
  std::vector<std::pair<int, pid_t>> seen;

 private:
  Loop& loop_;
};

class SignalWatchTest : public WatchTest {
 protected:
  SignalWatchTest() { pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
  ~SignalWatchTest() override { pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }
  sigset_t mask_;
};

TEST_F(SignalWatchTest, SignalsBecomeEventsWithTheirSender) {
  SignalNotes notes(*loop_);
  auto watch = SignalWatch::create(*loop_, {SIGHUP, SIGTERM}, notes);
  ASSERT_TRUE(watch) << watch.error().text;
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGTERM);
  loop_->run();
  EXPECT_THAT(notes.seen, ElementsAre(std::pair(SIGHUP, getpid()), std::pair(SIGTERM, getpid())));
}

TEST_F(SignalWatchTest, AChildMayHaveItsSignalsBack) {
  SignalNotes notes(*loop_);
  auto watch = SignalWatch::create(*loop_, {SIGTERM}, notes);
  ASSERT_TRUE(watch);
  EXPECT_EXIT(
      {
        unblock_all_signals();
        raise(SIGTERM);
        _exit(0);
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace servery
