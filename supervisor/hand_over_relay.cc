#include "supervisor/hand_over_relay.h"

#include <algorithm>

namespace servery {

void HandOverRelay::on_hand_over(WorkerProcess& giver, ipc::HandOver message) {
  std::vector<ipc::Connection> going;
  std::vector<std::uint64_t> staying;
  Transfer transfer{giver.id(), 0, {}};
  WorkerProcess* taker = taker_for(giver);
  for (ipc::Connection& connection : message.connections) {
    const bool can_go = taker != nullptr && connection.fd;  // none left for it here: see Packet
    std::string socket = can_go ? listeners_.socket_for(connection.fd.get()) : std::string();
    if (!socket.empty()) {
      connection.listener = std::move(socket);
      transfer.offered.push_back(connection.id);
      going.push_back(std::move(connection));
    } else {
      staying.push_back(connection.id);
    }
  }
  if (!staying.empty()) giver.hand_over_done(std::move(staying), {});
  if (going.empty()) return;
  transfer.taker = taker->id();
  transfers_.push_back(std::move(transfer));
  taker->take_over(std::move(going));
}

void HandOverRelay::on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [&](const Transfer& t) { return t.taker == taker.id(); });
  if (found == transfers_.end()) return;
  const Transfer transfer = std::move(*found);
  transfers_.erase(found);
  answer(transfer, message.ids);
}

void HandOverRelay::on_worker_gone(const WorkerProcess& worker) {
  const auto lost = std::stable_partition(
      transfers_.begin(), transfers_.end(),
      [&worker](const Transfer& transfer) { return transfer.taker != worker.id(); });
  for (auto it = lost; it != transfers_.end(); ++it) answer(*it, {});
  transfers_.erase(lost, transfers_.end());
}

void HandOverRelay::answer(const Transfer& transfer, std::vector<std::uint64_t> taken) {
  WorkerProcess* giver = fleet_.find_worker(transfer.giver);
  if (giver) giver->hand_over_done(transfer.offered, std::move(taken));
}

WorkerProcess* HandOverRelay::taker_for(const WorkerProcess& giver) const {
  const Generation* current = fleet_.current();
  if (!current || current->state() != Generation::State::kServing) return nullptr;
  WorkerProcess* same_slot = current->worker_of(giver.slot());
  if (same_slot && same_slot != &giver && same_slot->is_healthy()) return same_slot;
  WorkerProcess* other = current->any_healthy();
  return other != &giver ? other : nullptr;
}

}  // namespace servery
