#include "supervisor/adoption.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/base/log.h"
#include "supervisor/lending.h"

namespace servery {

Adoption::Adoption(const WorkerParts& parts, AdoptionHost& host, std::uint32_t slots,
                   const RestartPolicy::Settings& restart, std::function<double()> random)
    : parts_(parts),
      host_(host),
      random_(std::move(random)),
      borrowers_(slots),
      spare_policy_(restart),
      spare_restart_(parts.loop, [this] { reconcile(); }) {}

void Adoption::reconcile() {
  if (stopped_) return;
  lend();
  ensure_spare();
  dismiss_spare();
}

void Adoption::stop() {
  stopped_ = true;
  spare_restart_.stop();
  for (auto& borrower : borrowers_) borrower.reset();
}

// Nothing may wait in the queue of a slot that nobody reads.
void Adoption::lend() {
  if (stopped_) return;
  std::vector<SlotLoan> loans;
  std::vector<std::uint64_t> lenders;
  for (std::uint32_t slot = 0; slot < borrowers_.size(); ++slot) {
    SlotLoan loan;
    loan.borrower = borrowers_[slot];
    if (const WorkerProcess* owner = host_.healthy_owner(slot)) {
      loan.owner = owner->id();
      lenders.push_back(owner->id());
    } else if (!loan.borrower && host_.is_about_to_accept(slot)) {
      loan.owner = 0;
    }
    loans.push_back(loan);
  }
  if (lenders.empty() && spare_ && spare_->is_healthy()) lenders.push_back(spare_->id());
  for (const LoanChange& change : plan_loans(loans, lenders)) {
    apply(change.slot, change.give_back, change.lend);
  }
}

void Adoption::apply(std::uint32_t slot, std::optional<std::uint64_t> give_back,
                     std::optional<std::uint64_t> to) {
  if (give_back) {
    if (WorkerProcess* worker = host_.find(*give_back)) worker->give_back(slot);
    log::info("slot_returned", {{"slot", slot}});
  }
  borrowers_[slot] = to;
  if (!to) return;
  // Shared sockets need no loan: every worker polls them.
  const std::vector<SlotSocket>& sockets = host_.sockets_of(slot);
  std::vector<SlotSocket> own;
  std::copy_if(sockets.begin(), sockets.end(), std::back_inserter(own),
               [](const SlotSocket& socket) { return !socket.shared; });
  WorkerProcess& lender = *host_.find(*to);
  lender.listen(own, slot);
  parts_.memory.add(Metric::kAdoptions);
  log::info("slot_lent", {{"slot", slot}, {"pid", lender.pid()}});
}

bool Adoption::has_healthy_owner() const {
  for (std::uint32_t slot = 0; slot < borrowers_.size(); ++slot) {
    if (host_.healthy_owner(slot)) return true;
  }
  return false;
}

void Adoption::ensure_spare() {
  if (spare_ || has_healthy_owner() || host_.is_booting() || spare_restart_.is_active()) return;
  spare_ = host_.start_spare();
  if (!spare_) return retry_spare_later();
  parts_.memory.add(Metric::kSpares);
}

void Adoption::dismiss_spare() {
  if (spare_ && has_healthy_owner()) host_.dismiss_spare(*std::exchange(spare_, nullptr));
}

void Adoption::retry_spare_later() {
  const Milliseconds delay = spare_policy_.on_end(parts_.clock.steady(), random_());
  spare_restart_.start_once(std::max(Milliseconds(1), delay));
}

void Adoption::on_spare_ready() { spare_policy_.on_ready(parts_.clock.steady()); }

bool Adoption::on_gone(const WorkerProcess& worker) {
  if (&worker != spare_) return false;
  spare_ = nullptr;
  if (!stopped_) retry_spare_later();
  return true;
}

WorkerProcess* Adoption::borrower_of(std::uint32_t slot) const {
  return borrowers_[slot] ? host_.find(*borrowers_[slot]) : nullptr;
}

}  // namespace servery
