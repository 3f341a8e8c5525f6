#include "supervisor/shared_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

namespace servery {
namespace {

class SharedMemoryTest : public testing::Test {
 protected:
  SharedMemoryTest() : memory_(std::move(*SharedMemory::create(4))) {}

  PageLease acquire(std::uint32_t slot) {
    auto lease = memory_->acquire(slot);
    EXPECT_TRUE(lease) << lease.error().text;
    return std::move(*lease);
  }
  // The worker's side of a lease.
  static WorkerPageView worker(const PageLease& lease) { return *WorkerPageView::map(lease.fd()); }

  std::unique_ptr<SharedMemory> memory_;
};

TEST_F(SharedMemoryTest, SizesFollowTheRule) {
  EXPECT_EQ(memory_->max_slots(), 64U);
  EXPECT_EQ(memory_->page_capacity(), 256U);
  const auto large = SharedMemory::create(100);
  ASSERT_TRUE(large);
  EXPECT_EQ((*large)->max_slots(), 100U);
  EXPECT_FALSE(SharedMemory::create(1'000'000));
}

TEST_F(SharedMemoryTest, AWorkersCountsAreSeenAndOutliveIt) {
  {
    const PageLease lease = acquire(1);
    const WorkerPageView page = worker(lease);
    EXPECT_EQ(page.page().slot, 1U);
    EXPECT_EQ(page.page().page_index, lease.index());
    bump(page.page()[Metric::kRequests], 10);
    bump(page.page().heartbeat, 2);
    page.page().request_hash.store(77);
    EXPECT_EQ(lease.counter(Metric::kRequests), 10U);
    EXPECT_EQ(lease.heartbeat(), 2U);
    EXPECT_EQ(lease.request_hash(), 77U);
    EXPECT_EQ(memory_->total(Metric::kRequests), 10U);
  }
  EXPECT_EQ(memory_->total(Metric::kRequests), 10U);
  EXPECT_EQ(memory_->slot_total(1, Metric::kRequests), 10U);
  EXPECT_EQ(memory_->slot_total(0, Metric::kRequests), 0U);
  const PageLease next = acquire(1);
  EXPECT_EQ(next.counter(Metric::kRequests), 0U) << "a fresh page";
  EXPECT_EQ(next.heartbeat(), 0U);
  bump(worker(next).page()[Metric::kRequests], 5);
  EXPECT_EQ(memory_->slot_total(1, Metric::kRequests), 15U);
}

TEST_F(SharedMemoryTest, AGaugeEndsWithItsWorker) {
  {
    const PageLease lease = acquire(0);
    worker(lease).page()[Metric::kCacheBytes].store(4096);
    EXPECT_EQ(memory_->total(Metric::kCacheBytes), 4096U);
  }
  EXPECT_EQ(memory_->total(Metric::kCacheBytes), 0U);
}

TEST_F(SharedMemoryTest, CountersOfABrokenWorkerAreClampedAndNeverGoBack) {
  const PageLease lease = acquire(0);
  const WorkerPageView page = worker(lease);
  page.page()[Metric::kRequests].store(100);
  EXPECT_EQ(memory_->total(Metric::kRequests), 100U);
  page.page()[Metric::kRequests].store(1);
  EXPECT_EQ(memory_->total(Metric::kRequests), 100U);
  page.page()[Metric::kRequests].store(~std::uint64_t{0});
  EXPECT_EQ(memory_->total(Metric::kRequests), SharedMemory::kMaxCounter);
}

TEST_F(SharedMemoryTest, ConnectionsAreSummedOverWorkersAndClearedWithThem) {
  const auto table = ConnectionTable::map(memory_->rate_table_fd());
  ASSERT_TRUE(table) << table.error().text;
  const PageLease first = acquire(0);
  {
    const PageLease second = acquire(1);
    ASSERT_TRUE(table->try_add(first.index(), 0));
    ASSERT_TRUE(table->try_add(second.index(), 0));
    ASSERT_TRUE(table->try_add(second.index(), 0));
    EXPECT_EQ(second.connections(), 2U);
    EXPECT_EQ(memory_->service_connections(), 3U);
  }
  EXPECT_EQ(memory_->service_connections(), 1U) << "a dead worker has no connections";
}

TEST_F(SharedMemoryTest, PagesAreBoundedAndReused) {
  std::vector<PageLease> leases;
  for (std::uint32_t i = 0; i < memory_->page_capacity(); ++i) leases.push_back(acquire(i % 64));
  const auto refused = memory_->acquire(0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kExhausted);
  const std::uint32_t freed = leases[7].index();
  leases.erase(leases.begin() + 7);
  EXPECT_EQ(acquire(0).index(), freed);
  EXPECT_FALSE(memory_->acquire(64)) << "beyond the slots";
}

TEST_F(SharedMemoryTest, AWorkerCannotResizeWhatItWasGiven) {
  const PageLease lease = acquire(0);
  EXPECT_NE(ftruncate(lease.fd(), 0), 0);
  EXPECT_NE(ftruncate(memory_->rate_table_fd(), 1 << 20), 0);
}

TEST_F(SharedMemoryTest, EveryMetricIsReportedByItsKey) {
  memory_->add(Metric::kAdoptions, 2);
  memory_->set(Metric::kGenerations, 1);
  const Json counters = memory_->counters();
  EXPECT_EQ(counters.size(), kMetricCount);
  EXPECT_EQ(counters["servery_adoptions_total"], 2);
  EXPECT_EQ(counters["servery_generations"], 1);
  EXPECT_EQ(counters["servery_timeouts_total{phase=\"header\"}"], 0);
}

TEST_F(SharedMemoryTest, MovingALeaseDoesNotReapIt) {
  PageLease lease = acquire(3);
  const std::uint32_t index = lease.index();
  PageLease moved = std::move(lease);
  EXPECT_FALSE(lease);  // NOLINT: a moved-from lease is empty
  EXPECT_EQ(moved.index(), index);
  EXPECT_NE(acquire(3).index(), index);
}

}  // namespace
}  // namespace servery
