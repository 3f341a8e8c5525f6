#include "supervisor/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/unit/supervisor/scripted_child.h"

namespace servery {
namespace {

constexpr const char* kReportRole = "test: report";

// Its descriptors, process group and blocked signals, as text on the first descriptor.
int run_report() {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the directory's own descriptor
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (gone || target.string().find("/fd") != std::string::npos) continue;
    text += entry.path().filename().string() + " ";
  }
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  text += getpgid(0) == getpid() ? "own group " : "other group ";
  text += sigismember(&blocked, SIGTERM) ? "blocked" : "open";
  text += signal(SIGTERM, SIG_DFL) == SIG_DFL ? "" : " handled";
  return write(kFirstChildFd, text.data(), text.size()) < 0 ? 1 : 0;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Spawn, AChildGetsNoSecretOfTheEnvironment) {
  std::vector<std::string> variables{
      "TZ=UTC",   "AWS_SECRET_ACCESS_KEY=x", "LD_PRELOAD=", "LC_ALL=C", "SERVERY__HOSTS=[a]",
      "TZDIR=/x", "NOTIFY_SOCKET=",          "LANG=C"};
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::vector<std::string> kept;
  for (const char* variable : child_environment(pointers.data())) {
    if (variable) kept.emplace_back(variable);
  }
  EXPECT_EQ(kept, (std::vector<std::string>{"TZ=UTC", "LD_PRELOAD=", "LC_ALL=C", "LANG=C"}));
}

TEST(Spawn, AChildHasItsDescriptorsAndNothingElse) {
  const auto executable = Executable::open_own();
  ASSERT_TRUE(executable.has_value());
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const UniqueFd inherited(open("/dev/null", O_RDONLY));  // not close-on-exec
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  signal(SIGTERM, SIG_IGN);
  const auto pid = executable->spawn({{kReportRole}, {write_end.get(), inherited.get()}});
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(pid.has_value());
  write_end.reset();
  EXPECT_EQ(exit_code_of(*pid), 0);
  char text[256] = {};
  ASSERT_GT(read(read_end.get(), text, sizeof text - 1), 0);
  const std::string report(text);
  for (const char* own : {"0 ", "1 ", "2 ", "3 ", "4 "}) {
    EXPECT_NE(report.find(own), std::string::npos) << report;
  }
  EXPECT_EQ(report.find("5 "), std::string::npos) << report;
  EXPECT_TRUE(report.ends_with("own group open")) << report;
}

TEST(Spawn, TooManyDescriptorsAreRefused) {
  const auto executable = Executable::open_own();
  ASSERT_TRUE(executable.has_value());
  const auto pid = executable->spawn({{kReportRole}, std::vector<int>(9, 0)});
  ASSERT_FALSE(pid.has_value());
  EXPECT_EQ(pid.error().code, Errc::kTooLarge);
}

TEST(Spawn, ADescriptorThatIsNotOpenIsAnExecFailure) {
  const auto executable = Executable::open_own();
  ASSERT_TRUE(executable.has_value());
  const auto pid = executable->spawn({{kReportRole}, {1'000'000}});
  ASSERT_TRUE(pid.has_value());
  EXPECT_EQ(exit_code_of(*pid), kExecFailed);
}

}  // namespace
}  // namespace servery

// In place of gtest_main: this binary is also what its supervisors execute.
int main(int argc, char** argv) {
  const std::string_view role = argc > 0 ? argv[0] : "";
  if (role == servery::kWorkerRole) return servery::test::ScriptedWorker().run();
  if (role == servery::kCheckRole) return servery::test::run_scripted_check();
  if (role == servery::kReportRole) return servery::run_report();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
