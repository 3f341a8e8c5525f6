#include "supervisor/recycle_queue.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(RecycleQueue, OneAtATimeInTheOrderTheyAsked) {
  RecycleQueue queue;
  EXPECT_EQ(queue.turn(), std::nullopt);
  EXPECT_TRUE(queue.add(2));
  EXPECT_TRUE(queue.add(0));
  EXPECT_EQ(queue.turn(), 2U);
  queue.remove(2);
  EXPECT_EQ(queue.turn(), 0U);
  queue.remove(0);
  EXPECT_EQ(queue.turn(), std::nullopt);
}

TEST(RecycleQueue, ASlotWaitsOnce) {
  RecycleQueue queue;
  EXPECT_TRUE(queue.add(1));
  EXPECT_FALSE(queue.add(1));
  queue.remove(1);
  EXPECT_EQ(queue.turn(), std::nullopt);
  EXPECT_TRUE(queue.add(1)) << "again later";
}

TEST(RecycleQueue, AWorkerThatEndsGivesUpItsPlace) {
  RecycleQueue queue;
  queue.add(0);
  queue.add(1);
  queue.add(2);
  queue.remove(1);
  queue.remove(7);
  queue.remove(0);
  EXPECT_EQ(queue.turn(), 2U);
}

}  // namespace
}  // namespace servery
