#include "worker/transport/deadlines.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace servery::transport {
namespace {

class Client final : public DeadlineClient {
 public:
  explicit Client(std::vector<Client*>& due) : due_(due) {}
  void on_deadline(Waiting what) override {
    said = what;
    due_.push_back(this);
    if (then) then();
  }
  std::function<void()> then;
  Waiting said = Waiting::kHandler;

 private:
  std::vector<Client*>& due_;
};

class Lists : public testing::Test {
 protected:
  Lists() : loop(std::move(*Loop::create())) {
    durations.fill(Milliseconds{1});
    durations[static_cast<std::size_t>(Waiting::kKeepAlive)] = Milliseconds{0};
    deadlines = std::make_unique<Deadlines>(*loop, durations);
  }
  void run_until_due(std::size_t count) {
    Timer end(*loop, [&] { loop->stop(); });
    end.start_once(Deadlines::kTick * 5);
    Timer look(*loop, [&] {
      if (due.size() >= count) loop->stop();
    });
    look.start_repeating(Milliseconds{5});
    loop->run();
  }
  std::unique_ptr<Loop> loop;
  Deadlines::Durations durations{};
  std::unique_ptr<Deadlines> deadlines;
  std::vector<Client*> due;
};

TEST_F(Lists, ExpireInTheOrderOfTheirArming) {
  Client a(due);
  Client b(due);
  Client c(due);
  deadlines->arm(a, Waiting::kBody, false);
  deadlines->arm(b, Waiting::kBody, false);
  deadlines->arm(c, Waiting::kBody, false);
  deadlines->arm(a, Waiting::kBody, true);  // began anew: behind the others
  run_until_due(3);
  EXPECT_EQ(due, (std::vector<Client*>{&b, &c, &a}));
  EXPECT_EQ(a.said, Waiting::kBody);
}

TEST_F(Lists, ADisarmedOneIsNotHeardOf) {
  Client a(due);
  Client b(due);
  deadlines->arm(a, Waiting::kHead, false);
  deadlines->arm(b, Waiting::kHead, false);
  deadlines->disarm(a);
  run_until_due(2);
  EXPECT_EQ(due, (std::vector<Client*>{&b}));
}

TEST_F(Lists, ZeroIsNoDeadline) {
  Client a(due);
  deadlines->arm(a, Waiting::kHead, false);
  deadlines->arm(a, Waiting::kKeepAlive, false);
  run_until_due(1);
  EXPECT_TRUE(due.empty());
  EXPECT_EQ(a.waiting(), Waiting::kKeepAlive);
}

TEST_F(Lists, ADestroyedClientLeavesItsList) {
  auto a = std::make_unique<Client>(due);
  Client b(due);
  deadlines->arm(*a, Waiting::kHead, false);
  deadlines->arm(b, Waiting::kHead, false);
  a.reset();
  run_until_due(1);
  EXPECT_EQ(due, (std::vector<Client*>{&b}));
}

TEST_F(Lists, ACallMayEndOtherClients) {
  auto a = std::make_unique<Client>(due);
  auto b = std::make_unique<Client>(due);
  Client c(due);
  deadlines->arm(*a, Waiting::kHead, false);
  deadlines->arm(*b, Waiting::kHead, false);
  deadlines->arm(c, Waiting::kHead, false);
  a->then = [&] { b.reset(); };
  Client* const first = a.get();
  run_until_due(2);
  EXPECT_EQ(due, (std::vector<Client*>{first, &c}));
}

TEST_F(Lists, TheHeaderDeadlineBeginsAtAccept) {
  durations[static_cast<std::size_t>(Waiting::kFirstByte)] = Milliseconds{1};
  durations[static_cast<std::size_t>(Waiting::kHead)] = Milliseconds{3'600'000};
  Deadlines lists(*loop, durations);
  Client a(due);
  lists.arm(a, Waiting::kFirstByte, true);
  lists.arm(a, Waiting::kHead, false);  // the first byte has come: the time goes on
  run_until_due(1);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(a.said, Waiting::kHead);
}

TEST_F(Lists, ManyInOneTickAllExpire) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 2500; ++i) {
    clients.push_back(std::make_unique<Client>(due));
    deadlines->arm(*clients.back(), Waiting::kLinger, false);
  }
  run_until_due(2500);
  EXPECT_EQ(due.size(), 2500U);
}

}  // namespace
}  // namespace servery::transport
