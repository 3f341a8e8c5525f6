#include "ipc/shared_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

constexpr int kSeals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

// A memfd with `T` written at its start, as the supervisor makes them.
template <typename T>
UniqueFd make_memory(std::size_t bytes, const T& contents, int seals = kSeals) {
  UniqueFd fd(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(pwrite(fd.get(), &contents, sizeof contents, 0), static_cast<ssize_t>(sizeof contents));
  EXPECT_EQ(fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

SharedHeader header_of(std::size_t bytes) {
  SharedHeader header;
  header.bytes = static_cast<std::uint32_t>(bytes);
  return header;
}

// What a rate table of `capacity` words starts with, without its atomics.
struct TableStart {
  SharedHeader header;
  std::uint32_t page_capacity;
  std::uint32_t pages_used;
};

UniqueFd make_table(std::uint32_t capacity, std::uint32_t used, std::size_t bytes) {
  return make_memory(bytes, TableStart{header_of(bytes), capacity, used});
}

TEST(SharedMapping, OnlyASealedMemfdOfTheRightSizeAndLayoutIsMapped) {
  constexpr std::size_t kBytes = kSharedPageBytes;
  EXPECT_TRUE(SharedMapping::map(make_memory(kBytes, header_of(kBytes)).get(), kBytes));
  EXPECT_FALSE(SharedMapping::map(make_memory(kBytes, header_of(kBytes)).get(), 2 * kBytes));
  EXPECT_FALSE(
      SharedMapping::map(make_memory(kBytes, header_of(kBytes), F_SEAL_GROW).get(), kBytes))
      << "whoever can shrink it can kill us";
  EXPECT_FALSE(SharedMapping::map(make_memory(kBytes, header_of(64)).get(), kBytes));
  SharedHeader unknown = header_of(kBytes);
  unknown.layout = kSharedLayout + 1;
  EXPECT_FALSE(SharedMapping::map(make_memory(kBytes, unknown).get(), kBytes));
  unknown = header_of(kBytes);
  unknown.magic ^= 1;
  EXPECT_FALSE(SharedMapping::map(make_memory(kBytes, unknown).get(), kBytes));
  const UniqueFd file(open("/dev/zero", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(SharedMapping::map(file.get(), kBytes));
}

TEST(WorkerPageView, WhatOneMappingWritesTheOtherReads) {
  const UniqueFd fd = make_memory(kSharedPageBytes, header_of(kSharedPageBytes));
  const auto worker = WorkerPageView::map(fd.get());
  const auto supervisor = WorkerPageView::map(fd.get());
  ASSERT_TRUE(worker && supervisor);
  bump(worker->page()[Metric::kRequests], 3);
  bump(worker->page().heartbeat);
  EXPECT_EQ(supervisor->page()[Metric::kRequests].load(), 3U);
  EXPECT_EQ(supervisor->page().heartbeat.load(), 1U);
}

TEST(ConnectionTable, CapacityAndSizeMustAgree) {
  EXPECT_TRUE(ConnectionTable::map(make_table(4, 0, rate_table_bytes(4)).get()));
  EXPECT_FALSE(ConnectionTable::map(make_table(5, 0, rate_table_bytes(4)).get()));
  EXPECT_FALSE(ConnectionTable::map(make_table(0xffffffff, 0, rate_table_bytes(4)).get()));
  EXPECT_FALSE(ConnectionTable::map(make_table(0, 0, 16).get()));
}

TEST(ConnectionTable, TheServiceCountIsTheSumOfAllWords) {
  const auto table = ConnectionTable::map(make_table(4, 3, rate_table_bytes(4)).get());
  ASSERT_TRUE(table);
  table->open(0).store(5);
  table->open(2).store(7);
  table->open(3).store(100);  // beyond pages_used
  EXPECT_EQ(table->service_connections(), 12U);
}

TEST(ConnectionTable, NonsenseIsClamped) {
  const auto table = ConnectionTable::map(make_table(2, 0xffffffff, rate_table_bytes(2)).get());
  ASSERT_TRUE(table);
  table->open(0).store(0xffffffff);
  EXPECT_EQ(table->service_connections(), ConnectionTable::kMaxOpenPerWorker);
}

TEST(ConnectionTable, TheLimitHoldsOverAllWorkers) {
  const auto table = ConnectionTable::map(make_table(2, 2, rate_table_bytes(2)).get());
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->try_add(0, 2));
  EXPECT_TRUE(table->try_add(1, 2));
  EXPECT_FALSE(table->try_add(0, 2));
  EXPECT_EQ(table->service_connections(), 2U) << "a refused one is not counted";
  table->remove(1);
  EXPECT_TRUE(table->try_add(0, 2));
  EXPECT_TRUE(table->try_add(0, 0)) << "0: no limit";
}

TEST(ConnectionTable, RacingWorkersNeverExceedTheLimit) {
  constexpr std::uint32_t kWorkers = 4;
  constexpr std::uint64_t kLimit = 3;
  const auto table =
      ConnectionTable::map(make_table(kWorkers, kWorkers, rate_table_bytes(kWorkers)).get());
  ASSERT_TRUE(table);
  std::atomic<std::uint64_t> admitted{0};
  std::atomic<bool> exceeded{false};
  std::vector<std::thread> workers;
  for (std::uint32_t index = 0; index < kWorkers; ++index) {
    workers.emplace_back([&table, &admitted, &exceeded, index] {
      for (int i = 0; i < 20'000; ++i) {
        if (!table->try_add(index, kLimit)) continue;
        if (admitted.fetch_add(1) + 1 > kLimit) exceeded = true;
        admitted.fetch_sub(1);
        table->remove(index);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(table->service_connections(), 0U);
}

}  // namespace
}  // namespace servery
