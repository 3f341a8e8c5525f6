#include "supervisor/reload.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit/supervisor/reload_fixture.h"

namespace servery {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ReloadTest : public test::ReloadFixture {
 protected:
  Reload* running() override { return reload.get(); }
  void on_reload_done(Verdict done) override { verdict = std::move(done); }

  void begin(const std::string& inputs) {
    verdict.reset();
    reload = std::make_unique<Reload>(reload_parts(), static_cast<ReloadHost&>(*this));
    reload->begin(inputs);
  }
  void begin(const Plan& plan) { begin(dump_json(to_json(plan))); }
  const Verdict& run(const Plan& plan) {
    begin(plan);
    run_until([&] { return verdict.has_value(); });
    return *verdict;
  }

  std::unique_ptr<Reload> reload;
  std::optional<Verdict> verdict;
};

TEST_F(ReloadTest, CommitsAndTheOldGenerationDrains) {
  EXPECT_EQ(run(plan_for(1)).kind, Verdict::Kind::kCommitted);
  const std::uint64_t first = fleet.current()->id();
  const Verdict& second = run(plan_for(2));
  EXPECT_EQ(second.kind, Verdict::Kind::kCommitted);
  EXPECT_EQ(second.generation, fleet.current()->id());
  EXPECT_GT(second.generation, first);
  EXPECT_THAT(second.error, IsEmpty());
  EXPECT_TRUE(fleet.current()->all_slots_ready());
  run_until([&] { return gone == std::vector<std::uint64_t>{first}; });
}

class RefusedReload : public ReloadTest {
 protected:
  void SetUp() override {
    run(plan_for(2));
    before_ = fleet.current();
    pids_ = pids();
    sockets_ = listeners.status().size();
  }
  // The old generation is untouched: same workers, same sockets, nothing of the new one is left.
  void TearDown() override {
    run_until([&] { return fleet.all().size() == 1; });
    EXPECT_EQ(fleet.current(), before_);
    EXPECT_EQ(pids(), pids_);
    EXPECT_EQ(listeners.status().size(), sockets_);
    EXPECT_EQ(before_->state(), Generation::State::kServing);
  }
  std::vector<pid_t> pids() const {
    std::vector<pid_t> result;
    for (const auto& worker : fleet.current()->workers()) result.push_back(worker->pid());
    return result;
  }

 private:
  Generation* before_ = nullptr;
  std::vector<pid_t> pids_;
  std::size_t sockets_ = 0;
};

TEST_F(RefusedReload, APlanWithProblemsIsInvalid) {
  Plan plan = plan_for(2);
  plan.problems.push_back({"s.yaml", 2, 3, "x", "unknown_key", "unknown key", ""});
  plan.problems.push_back({"s.yaml", 3, 3, "y", "unknown_key", "unknown key", ""});
  const Verdict& refused = run(plan);
  EXPECT_EQ(refused.kind, Verdict::Kind::kInvalid);
  EXPECT_EQ(refused.error, "s.yaml:2:3: x: unknown key (and 1 more)");
  EXPECT_THAT(refused.problems, SizeIs(2));
}

TEST_F(RefusedReload, ACheckThatDiesIsRolledBack) {
  begin("crash");
  run_until([&] { return verdict.has_value(); });
  EXPECT_EQ(verdict->kind, Verdict::Kind::kRolledBack);
  EXPECT_THAT(verdict->error, HasSubstr("signal 6"));
}

TEST_F(RefusedReload, AWorkerThatFailsInPrepareIsRolledBack) {
  const Verdict& refused = run(plan_for(2, "refuse"));
  EXPECT_EQ(refused.kind, Verdict::Kind::kRolledBack);
  EXPECT_EQ(refused.error, "refused as told");
  ASSERT_THAT(refused.problems, SizeIs(1));
  EXPECT_EQ(refused.problems[0].reason, "worker_failed");
}

TEST_F(RefusedReload, AKeyThatNeedsARestartIsNamed) {
  Plan plan = plan_for(2);
  plan.tier = ReloadTier::kRestart;
  plan.changes.push_back({"hosts", "[]", "[a]", ReloadTier::kGeneration});
  plan.changes.push_back({"runtime.control_socket", "/a", "/b", ReloadTier::kRestart});
  const Verdict& refused = run(plan);
  EXPECT_EQ(refused.kind, Verdict::Kind::kRolledBack);
  EXPECT_EQ(refused.exit_code(), 1);
  EXPECT_EQ(refused.tier, ReloadTier::kRestart);
  ASSERT_THAT(refused.problems, SizeIs(1));
  EXPECT_EQ(refused.problems[0].key, "runtime.control_socket");
  EXPECT_EQ(refused.problems[0].reason, "needs_restart");
}

TEST_F(RefusedReload, WhatTheHostDoesNotAdmit) {
  admitted = fail(Errc::kExhausted, "no memory");
  EXPECT_EQ(run(plan_for(2)).kind, Verdict::Kind::kRolledBack);
  admitted = fail(Errc::kInvalid, "that is no place for it");
  EXPECT_EQ(run(plan_for(2)).kind, Verdict::Kind::kInvalid);
}

TEST_F(RefusedReload, AnAddressInUseClosesWhatWasBound) {
  const UniqueFd other(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(other.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(other.get(), 1), 0);
  ASSERT_EQ(::getsockname(other.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  Plan plan = plan_for(2);
  PlanListener taken = plan.listeners[0];
  taken.port = ntohs(address.sin_port);
  taken.configured = fmt::format("127.0.0.1:{}", taken.port);
  plan.listeners.push_back(taken);
  const Verdict& refused = run(plan);
  EXPECT_EQ(refused.kind, Verdict::Kind::kRolledBack);
  EXPECT_THAT(refused.error, HasSubstr(taken.configured + " is in use"));
}

TEST_F(RefusedReload, CancelledBeforeTheCommit) {
  begin(plan_for(2));
  run_until([&] { return reload->generation() != nullptr; });
  reload->cancel("the service is stopping");
  ASSERT_TRUE(verdict.has_value());
  EXPECT_EQ(verdict->kind, Verdict::Kind::kRolledBack);
  EXPECT_EQ(verdict->error, "the service is stopping");
}

}  // namespace
}  // namespace servery
