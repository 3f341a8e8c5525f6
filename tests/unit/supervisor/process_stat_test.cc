#include "supervisor/process_stat.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace servery {
namespace {

TEST(ProcessStat, ReadsThisProcess) {
  const auto stat = read_process_stat(getpid());
  ASSERT_TRUE(stat.has_value());
  EXPECT_TRUE(stat->state == 'R' || stat->state == 'S') << stat->state;
  EXPECT_GT(stat->rss_bytes, 100'000U);
  EXPECT_GE(stat->cpu_seconds, 0);
}

TEST(ProcessStat, AStoppedProcessIsTWhateverItsName) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    prctl(PR_SET_NAME, "a) R 1 (b");  // what a parser must not fall for
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  const auto stat = read_process_stat(child);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->state, 'T');
  EXPECT_FALSE(read_process_stat(child).has_value()) << "reaped";
}

TEST(OomKills, IsTheCountTheKernelKeeps) {
  EXPECT_EQ(parse_oom_kills("low 0\nhigh 7\nmax 12\noom 3\noom_kill 2\noom_group_kill 9\n"), 2U);
  EXPECT_EQ(parse_oom_kills("oom_kill 41"), 41U);
}

TEST(OomKills, AFileThatDoesNotSayIsZero) {
  for (const char* text : {"", "oom 3\n", "oom_kill \n", "oom_kill x\n", "oom_kill_ 4\n"}) {
    EXPECT_EQ(parse_oom_kills(text), 0U) << text;
  }
}

}  // namespace
}  // namespace servery
