#include "supervisor/lending.h"

#include <gtest/gtest.h>

#include <map>

namespace servery {
namespace {

// Slots with their workers' ids; loans are applied as the plan says.
class LendingTest : public testing::Test {
 protected:
  void workers(std::vector<std::optional<std::uint64_t>> owners) {
    slots_.resize(owners.size());
    for (std::size_t i = 0; i < owners.size(); ++i) slots_[i].owner = owners[i];
  }
  std::size_t settle(std::vector<std::uint64_t> lenders) {
    const auto changes = plan_loans(slots_, lenders);
    for (const LoanChange& change : changes) {
      EXPECT_EQ(change.give_back, slots_[change.slot].borrower);
      slots_[change.slot].borrower = change.lend;
    }
    EXPECT_TRUE(plan_loans(slots_, lenders).empty()) << "a settled table asks for more";
    return changes.size();
  }
  std::optional<std::uint64_t> borrower(std::size_t slot) { return slots_[slot].borrower; }

  std::vector<SlotLoan> slots_;
};

TEST_F(LendingTest, NothingToDoWhileAllAreHealthy) {
  workers({1, 2, 3});
  EXPECT_EQ(settle({1, 2, 3}), 0u);
}

TEST_F(LendingTest, AnOrphanIsLentAndComesBack) {
  workers({1, std::nullopt});
  EXPECT_EQ(settle({1}), 1u);
  EXPECT_EQ(borrower(1), 1u);
  workers({1, 5});
  EXPECT_EQ(settle({1, 5}), 1u);
  EXPECT_EQ(borrower(1), std::nullopt);
}

TEST_F(LendingTest, OrphansAreSpread) {
  workers({1, 2, std::nullopt, std::nullopt, std::nullopt, std::nullopt});
  settle({1, 2});
  std::map<std::uint64_t, int> count;
  for (std::size_t i = 2; i < 6; ++i) ++count[*borrower(i)];
  EXPECT_EQ(count[1], 2);
  EXPECT_EQ(count[2], 2);
}

TEST_F(LendingTest, ALoanStaysWhereItIs) {
  workers({1, 2, std::nullopt});
  settle({1, 2});
  const auto first = borrower(2);
  workers({1, 2, std::nullopt});
  EXPECT_EQ(settle({2, 1}), 0u);
  EXPECT_EQ(borrower(2), first);
}

TEST_F(LendingTest, ABorrowerThatFailsLosesItsLoanAndItsSlot) {
  workers({1, 2, std::nullopt});
  settle({1, 2});
  ASSERT_EQ(borrower(2), 1u);
  workers({std::nullopt, 2, std::nullopt});
  EXPECT_EQ(settle({2}), 2u);
  EXPECT_EQ(borrower(0), 2u);
  EXPECT_EQ(borrower(2), 2u);
}

TEST_F(LendingTest, WithoutALenderTheLoanEndsAndWaits) {
  workers({std::nullopt});
  EXPECT_EQ(settle({}), 0u);
  slots_[0].borrower = 9;
  EXPECT_EQ(settle({}), 1u);
  EXPECT_EQ(borrower(0), std::nullopt);
  EXPECT_EQ(settle({77}), 1u);  // a spare
  EXPECT_EQ(borrower(0), 77u);
}

}  // namespace
}  // namespace servery
