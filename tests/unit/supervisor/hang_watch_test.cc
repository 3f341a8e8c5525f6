#include "supervisor/hang_watch.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

using Verdict = HangWatch::Verdict;
using std::chrono::milliseconds;

class HangWatchTest : public testing::Test {
 protected:
  // Time passes in silence, the supervisor away for `gap` of it.
  Verdict silent(int ms, int gap = 0) {
    now_ += milliseconds(ms);
    return watch_.observe(now_, beats_, limits_, milliseconds(gap));
  }
  Verdict beat() { return watch_.observe(now_, ++beats_, limits_); }

  SteadyTime now_{std::chrono::hours(1)};
  std::uint64_t beats_ = 0;
  HangWatch::Limits limits_{milliseconds(1'000), milliseconds(5'000), milliseconds(30'000)};
  HangWatch watch_{now_};
};

TEST_F(HangWatchTest, WalksFromSuspectToAbortOnceEach) {
  EXPECT_EQ(silent(999), Verdict::kNone);
  EXPECT_FALSE(watch_.is_suspect());
  EXPECT_EQ(silent(1), Verdict::kSuspect);
  EXPECT_TRUE(watch_.is_suspect());
  EXPECT_EQ(silent(3'999), Verdict::kNone);
  EXPECT_EQ(silent(1), Verdict::kWarn);
  EXPECT_EQ(silent(24'999), Verdict::kNone);
  EXPECT_EQ(silent(1), Verdict::kAbort);
  EXPECT_EQ(silent(60'000), Verdict::kNone);
}

TEST_F(HangWatchTest, ABeatRecovers) {
  EXPECT_EQ(silent(1'000), Verdict::kSuspect);
  EXPECT_EQ(beat(), Verdict::kRecovered);
  EXPECT_FALSE(watch_.is_suspect());
  EXPECT_EQ(beat(), Verdict::kNone);
  EXPECT_EQ(silent(1'000), Verdict::kSuspect);
}

TEST_F(HangWatchTest, AfterTheAbortABeatChangesNothing) {
  EXPECT_EQ(silent(30'000), Verdict::kAbort);
  EXPECT_EQ(beat(), Verdict::kNone);
  EXPECT_TRUE(watch_.is_suspect());
}

TEST_F(HangWatchTest, TheSupervisorsOwnAbsenceAccusesNobody) {
  EXPECT_EQ(silent(3'600'000, 3'599'900), Verdict::kNone);
  EXPECT_EQ(silent(899), Verdict::kNone);
  EXPECT_EQ(silent(1), Verdict::kSuspect);
}

TEST_F(HangWatchTest, ZeroSwitchesAStageOff) {
  limits_ = {milliseconds(0), milliseconds(0), milliseconds(2'000)};
  EXPECT_EQ(silent(1'999), Verdict::kNone);
  EXPECT_EQ(silent(1), Verdict::kAbort);
}

}  // namespace
}  // namespace servery
