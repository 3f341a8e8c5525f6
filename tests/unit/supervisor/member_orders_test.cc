#include "supervisor/member_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servery {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MemberOrders, TheLastTakesTheClosedOnesPlace) {
  MemberOrders orders;
  for (int fd : {10, 11, 12, 13}) orders.on_listen("a", fd);
  EXPECT_EQ(orders.moved_by_close("a", 11), 13);
  orders.on_close("a", 11);
  EXPECT_THAT(orders.members("a"), ElementsAre(10, 13, 12));
  EXPECT_EQ(orders.moved_by_close("a", 12), std::nullopt);
  orders.on_close("a", 12);
  EXPECT_THAT(orders.members("a"), ElementsAre(10, 13));
}

TEST(MemberOrders, AddressesAreApart) {
  MemberOrders orders;
  orders.on_listen("a", 1);
  orders.on_listen("b", 2);
  orders.on_close("a", 2);
  EXPECT_THAT(orders.members("a"), ElementsAre(1));
  orders.on_close("a", 1);
  EXPECT_THAT(orders.members("a"), IsEmpty());
  EXPECT_THAT(orders.members("b"), ElementsAre(2));
}

TEST(MemberOrders, UnknownMembersMoveNobody) {
  MemberOrders orders;
  orders.on_listen("a", 1);
  EXPECT_EQ(orders.moved_by_close("a", 9), std::nullopt);
  EXPECT_EQ(orders.moved_by_close("z", 1), std::nullopt);
}

}  // namespace
}  // namespace servery
