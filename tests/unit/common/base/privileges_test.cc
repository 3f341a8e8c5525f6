#include "common/base/privileges.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>

namespace servery {
namespace {

constexpr uid_t kNobody = 65534;

// Dropping is for good, so each case runs in a child; `body` returns whether all was well.
void expect_in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

std::string status_line(const std::string& key) {
  std::ifstream file("/proc/thread-self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key + ":"))
      return line.substr(line.find_first_not_of(" \t", key.size() + 1));
  }
  return {};
}

bool check(bool condition, const char* what) {
  if (!condition) std::cerr << "child: not so: " << what << '\n';
  return condition;
}

class PrivilegesAsRoot : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
  }
};

TEST(LimitToReading, SeesButWritesNothing) {
  expect_in_child([] {
    char path[] = "/tmp/servery-privileges-XXXXXX";
    const int file = mkstemp(path);
    unlink(path);
    int pipe_ends[2];
    signal(SIGXFSZ, SIG_IGN);
    return check(file >= 0 && pipe(pipe_ends) == 0, "files") &&
           check(limit_to_reading().has_value(), "limited") &&
           check(write(file, "x", 1) < 0 && errno == EFBIG, "no byte to a file") &&
           check(write(pipe_ends[1], "x", 1) == 1, "but to a pipe") &&
           check(status_line("NoNewPrivs") == "1", "no_new_privs") &&
           check(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0, "not dumpable");
  });
}

TEST_F(PrivilegesAsRoot, LimitToReadingKeepsOneCapabilityAtMost) {
  expect_in_child([] {
    if (!check(limit_to_reading().has_value(), "limited")) return false;
    const std::uint64_t left = std::stoull(status_line("CapPrm"), nullptr, 16);
    return check(left == 1 << CAP_DAC_READ_SEARCH || left == 1 << CAP_DAC_OVERRIDE, "one left") &&
           check(geteuid() == 0, "still its user") &&
           check(setresuid(kNobody, kNobody, kNobody) != 0, "cannot change it");
  });
}

TEST_F(PrivilegesAsRoot, BecomeNobodyForGood) {
  expect_in_child([] {
    const gid_t kept[] = {0, 4, 27};
    if (!check(setgroups(3, kept) == 0, "setgroups")) return false;
    const Status dropped = drop_privileges({kNobody, kNobody, {}});
    if (!dropped) std::cerr << dropped.error().text << '\n';
    return check(dropped.has_value(), "dropped") &&
           check(status_line("Uid") == "65534\t65534\t65534\t65534", "uid") &&
           check(status_line("Gid") == "65534\t65534\t65534\t65534", "gid") &&
           check(getgroups(0, nullptr) == 0, "no groups") &&
           check(status_line("CapEff") == "0000000000000000", "CapEff") &&
           check(status_line("CapPrm") == "0000000000000000", "CapPrm") &&
           check(status_line("CapBnd") == "0000000000000000", "CapBnd") &&
           check(status_line("CapAmb") == "0000000000000000", "CapAmb") &&
           check(status_line("NoNewPrivs") == "1", "NoNewPrivs") &&
           check(prctl(PR_GET_DUMPABLE) == 0, "not dumpable") &&
           check(seteuid(0) != 0, "root stays away") &&
           check(access("/root", X_OK) != 0, "no root");
  });
}

TEST_F(PrivilegesAsRoot, SupplementaryGroupsAreTheOnesGiven) {
  expect_in_child([] {
    gid_t groups[8];
    return check(drop_privileges({kNobody, kNobody, {33, 44}}).has_value(), "dropped") &&
           check(getgroups(8, groups) == 2, "two groups") &&
           check(groups[0] == 33 && groups[1] == 44, "these groups");
  });
}

TEST_F(PrivilegesAsRoot, StayingRootStillLosesEveryCapability) {
  expect_in_child([] {
    return check(drop_privileges({0, 0, {}}).has_value(), "dropped") &&
           check(status_line("CapEff") == "0000000000000000", "CapEff") &&
           check(setresuid(kNobody, kNobody, kNobody) != 0, "cannot even change user");
  });
}

TEST_F(PrivilegesAsRoot, VerifyNoticesWhatWasNotDropped) {
  expect_in_child([] {
    const Status root = verify_privileges({0, 0, {}});
    if (!check(!root, "capabilities are noticed")) return false;
    if (!check(setresuid(kNobody, kNobody, kNobody) == 0, "setresuid")) return false;
    return check(!verify_privileges({kNobody, kNobody, {}}), "a kept group id is noticed");
  });
}

TEST_F(PrivilegesAsRoot, WithoutRootOnlyThePresentIdentityIsPossible) {
  expect_in_child([] {
    if (setgroups(0, nullptr) != 0 || setresgid(7, 7, 7) != 0 || setresuid(7, 7, 7) != 0)
      return false;
    const Status other = drop_privileges({8, 8, {}});
    if (!check(!other && other.error().code == Errc::kForbidden, "another user")) return false;
    const auto present = current_identity();
    return check(present && present->uid == 7 && present->gid == 7, "present identity") &&
           check(drop_privileges(*present).has_value(), "present identity kept") &&
           check(status_line("NoNewPrivs") == "1", "NoNewPrivs");
  });
}

TEST(Privileges, DescriptorLimitIsRaisedToWhatIsWantedOrAllowed) {
  expect_in_child([] {
    rlimit low{64, 4096};
    if (setrlimit(RLIMIT_NOFILE, &low) != 0) return false;
    const auto raised = raise_descriptor_limit(1000);
    if (!check(raised && *raised == 1000, "raised")) return false;
    const auto kept = raise_descriptor_limit(10);
    if (!check(kept && *kept == 1000, "never lowered")) return false;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return false;
    const auto capped = raise_descriptor_limit(100'000);
    return check(capped && *capped == 4096, "the hard limit holds without root");
  });
}

}  // namespace
}  // namespace servery
