#include "supervisor/lending.h"

#include <algorithm>
#include <map>

namespace servery {
namespace {

std::optional<std::uint64_t> least_loaded(const std::vector<std::uint64_t>& lenders,
                                          const std::map<std::uint64_t, int>& loans) {
  std::optional<std::uint64_t> best;
  int fewest = 0;
  for (std::uint64_t lender : lenders) {
    const auto found = loans.find(lender);
    const int count = found == loans.end() ? 0 : found->second;
    if (best && count >= fewest) continue;
    best = lender;
    fewest = count;
  }
  return best;
}

}  // namespace

std::vector<LoanChange> plan_loans(const std::vector<SlotLoan>& slots,
                                   const std::vector<std::uint64_t>& lenders) {
  const auto can_lend = [&lenders](std::uint64_t id) {
    return std::find(lenders.begin(), lenders.end(), id) != lenders.end();
  };
  std::map<std::uint64_t, int> loans;
  for (const SlotLoan& slot : slots) {
    if (!slot.owner && slot.borrower && can_lend(*slot.borrower)) ++loans[*slot.borrower];
  }
  std::vector<LoanChange> changes;
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    const SlotLoan& slot = slots[i];
    if (!slot.owner && slot.borrower && can_lend(*slot.borrower)) continue;
    LoanChange change{i, slot.borrower, std::nullopt};
    if (!slot.owner) change.lend = least_loaded(lenders, loans);
    if (change.lend) ++loans[*change.lend];
    if (change.give_back || change.lend) changes.push_back(change);
  }
  return changes;
}

}  // namespace servery
