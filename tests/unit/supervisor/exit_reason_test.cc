#include "supervisor/exit_reason.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace servery {
namespace {

// wait(2): a signal is the low byte, an exit code the second.
constexpr int by_signal(int signal) { return signal; }
constexpr int by_code(int code) { return code << 8; }

ExitReason classify(int wait_status, bool was_ready, bool told = false, bool hung = false,
                    bool oom = false) {
  return classify_exit({wait_status, was_ready, told, hung, oom});
}

TEST(ExitReason, SaysWhyAWorkerEnded) {
  EXPECT_EQ(classify(by_code(1), false), ExitReason::kBootFailed);
  EXPECT_EQ(classify(by_signal(SIGSEGV), false), ExitReason::kBootFailed);
  EXPECT_EQ(classify(by_signal(SIGSEGV), true), ExitReason::kCrashed);
  EXPECT_EQ(classify(by_code(3), true), ExitReason::kCrashed);
  EXPECT_EQ(classify(by_code(0), true), ExitReason::kCrashed);  // nobody asked it to leave
  EXPECT_EQ(classify(by_signal(SIGKILL), true), ExitReason::kKilled);
  EXPECT_EQ(classify(by_signal(SIGTERM), true), ExitReason::kKilled);
}

TEST(ExitReason, DrainedOnlyWhenToldAndClean) {
  EXPECT_EQ(classify(by_code(0), true, true), ExitReason::kDrained);
  EXPECT_EQ(classify(by_code(1), true, true), ExitReason::kCrashed);
  EXPECT_EQ(classify(by_signal(SIGKILL), true, true), ExitReason::kKilled);
}

TEST(ExitReason, HungAndOomExplainTheKill) {
  EXPECT_EQ(classify(by_signal(SIGKILL), true, false, true), ExitReason::kHung);
  EXPECT_EQ(classify(by_signal(SIGABRT), true, false, true), ExitReason::kHung);
  EXPECT_EQ(classify(by_signal(SIGKILL), true, false, false, true), ExitReason::kOom);
  EXPECT_EQ(classify(by_signal(SIGSEGV), true, false, false, true), ExitReason::kCrashed);
}

TEST(ExitReason, LastExitHasEitherSignalOrCode) {
  const LastExit killed = make_last_exit(ExitReason::kKilled, by_signal(SIGKILL), {});
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_FALSE(killed.code);
  const LastExit failed = make_last_exit(ExitReason::kBootFailed, by_code(2), {});
  EXPECT_EQ(failed.code, 2);
  EXPECT_FALSE(failed.signal);
}

TEST(ExitReason, NamesAreThoseOfTheStatusSchema) {
  EXPECT_EQ(exit_reason_name(ExitReason::kBootFailed), "boot_failed");
  EXPECT_EQ(exit_reason_name(ExitReason::kHung), "hung");
  EXPECT_EQ(exit_reason_name(ExitReason::kOom), "oom");
  EXPECT_EQ(exit_reason_name(ExitReason::kDrained), "drained");
}

TEST(OomKills, EachKillTheKernelCountedExplainsOne) {
  OomKills kills(3);  // counted before we started
  EXPECT_FALSE(kills.explain(3)) << "somebody else's SIGKILL";
  EXPECT_TRUE(kills.explain(5));
  EXPECT_TRUE(kills.explain(5)) << "two at once";
  EXPECT_FALSE(kills.explain(5));
  EXPECT_FALSE(kills.explain(0)) << "the file is gone";
  EXPECT_TRUE(kills.explain(6));
}

}  // namespace
}  // namespace servery
