// Orphan adoption as a pure decision: which slots have no healthy worker and who accepts for them.
// A slot's socket goes on receiving its share of connections whatever happened to its worker, so
// it is lent to a healthy one and given back once the owner is. Applied by Generation after every
// change of a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace servery {

struct SlotLoan {
  std::optional<std::uint64_t> owner;     // its healthy worker
  std::optional<std::uint64_t> borrower;  // who accepts for it now
};

struct LoanChange {
  std::uint32_t slot = 0;
  std::optional<std::uint64_t> give_back;  // this worker stops accepting for it
  std::optional<std::uint64_t> lend;       // this one starts
};

// Slots by index; `lenders`: ids of workers that are ready, beating and not leaving (unique over
// processes). Loans that stand stay where they are; new ones go to who has the fewest. Without
// a lender a slot's connections wait in its queue.
std::vector<LoanChange> plan_loans(const std::vector<SlotLoan>& slots,
                                   const std::vector<std::uint64_t>& lenders);

}  // namespace servery
