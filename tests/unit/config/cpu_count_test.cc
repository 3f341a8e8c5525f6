#include "config/cpu_count.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace servery {
namespace {

// A system root with fake /proc/self/cgroup and /sys/fs/cgroup.
class CpuCount : public ::testing::Test {
 protected:
  CpuCount() {
    char name[] = "/tmp/servery-cgroup-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~CpuCount() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ + path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << "\n";
  }

  void in_v2(const std::string& group) { write("/proc/self/cgroup", "0::" + group); }

  std::string root_;
};

TEST_F(CpuCount, WithoutCgroupsItIsTheAffinity) {
  EXPECT_EQ(usable_cpus(6, root_), 6u);
  EXPECT_EQ(usable_cpus(0, root_), 1u);
}

TEST_F(CpuCount, AV2QuotaIsRoundedUp) {
  in_v2("/app");
  write("/sys/fs/cgroup/app/cpu.max", "250000 100000");
  EXPECT_EQ(usable_cpus(8, root_), 3u);
  EXPECT_EQ(usable_cpus(2, root_), 2u);
  write("/sys/fs/cgroup/app/cpu.max", "50000 100000");
  EXPECT_EQ(usable_cpus(8, root_), 1u);
  write("/sys/fs/cgroup/app/cpu.max", "1 100000");
  EXPECT_EQ(usable_cpus(8, root_), 1u);
  write("/sys/fs/cgroup/app/cpu.max", "max 100000");
  EXPECT_EQ(usable_cpus(8, root_), 8u);
}

TEST_F(CpuCount, TheSmallestQuotaAboveCounts) {
  in_v2("/a/b/c");
  write("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000");
  write("/sys/fs/cgroup/a/b/cpu.max", "400000 100000");
  write("/sys/fs/cgroup/a/cpu.max", "200000 100000");
  EXPECT_EQ(usable_cpus(8, root_), 2u);
}

TEST_F(CpuCount, InAContainerTheGroupIsTheMount) {
  in_v2("/");
  write("/sys/fs/cgroup/cpu.max", "150000 100000");
  EXPECT_EQ(usable_cpus(8, root_), 2u);
}

TEST_F(CpuCount, V1) {
  write("/proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/app\n1:name=systemd:/x");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "300000");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000");
  EXPECT_EQ(usable_cpus(8, root_), 3u);
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(usable_cpus(8, root_), 8u);
}

TEST_F(CpuCount, NonsenseIsNoLimit) {
  in_v2("/app");
  for (const char* text :
       {"", "x y", "100000", "100000 0", "-5 100000", "99999999999999999999 1"}) {
    write("/sys/fs/cgroup/app/cpu.max", text);
    EXPECT_EQ(usable_cpus(8, root_), 8u) << text;
  }
}

TEST_F(CpuCount, CountsTheAffinityMask) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(affinity_cpus(), static_cast<std::uint32_t>(CPU_COUNT(&all)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(affinity_cpus(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
}

}  // namespace
}  // namespace servery
