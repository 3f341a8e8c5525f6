#include "supervisor/retirement.h"

#include <algorithm>

#include "common/base/log.h"

namespace servery {

void Retirement::add(std::vector<LeavingSocket> sockets) {
  for (LeavingSocket& socket : sockets) {
    entries_.push_back({std::move(socket), 0});
    assign(entries_.back());
  }
}

void Retirement::reassign() {
  // A later plan has taken some back: nobody may be told to empty those any more.
  std::erase_if(entries_,
                [this](const Entry& entry) { return !listeners_.is_leaving(entry.socket.name); });
  for (Entry& entry : entries_) {
    const WorkerProcess* worker = fleet_.find_worker(entry.worker);
    if (worker && !worker->is_suspect()) continue;
    entry.worker = 0;
    assign(entry);
  }
}

// A worker that polls the socket already, newest generation first.
WorkerProcess* Retirement::holder_of(const Entry& entry) const {
  const auto& generations = fleet_.all();
  for (auto it = generations.rbegin(); it != generations.rend(); ++it) {
    if ((*it)->configured_of(entry.socket.name).empty()) continue;
    WorkerProcess* worker =
        entry.socket.shared ? (*it)->any_healthy() : (*it)->acceptor_of(entry.socket.slot);
    if (worker) return worker;
  }
  return nullptr;
}

void Retirement::assign(Entry& entry) {
  const LeavingSocket& socket = entry.socket;
  if (WorkerProcess* holder = holder_of(entry)) {
    entry.worker = holder->id();
    holder->leave(socket.name, socket.shared ? holder->slot() : socket.slot, kLimit);
    return;
  }
  WorkerProcess* adopter = fleet_.current() ? fleet_.current()->any_healthy() : nullptr;
  if (!adopter) return;  // until somebody is ready: the connections wait in its queue
  entry.worker = adopter->id();
  SlotSocket lent;
  lent.name = socket.name;
  lent.fd = socket.fd;
  lent.shared = socket.shared;
  adopter->listen({lent}, socket.slot);
  adopter->leave(socket.name, socket.slot, kLimit);
}

std::vector<std::string> Retirement::on_socket_empty(const WorkerProcess& worker,
                                                     const ipc::SocketEmpty& message) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& candidate) {
    return candidate.socket.name == message.listener && candidate.worker == worker.id();
  });
  if (entry == entries_.end()) return {};
  if (message.leftover > 0) {
    log::warning("listener_leftover", {{"socket", message.listener}, {"count", message.leftover}});
  }
  std::vector<std::string> closed{entry->socket.name};
  listeners_.close_leaving(entry->socket.name);
  entries_.erase(entry);
  return closed;
}

void Retirement::close_all() {
  for (const Entry& entry : entries_) listeners_.close_leaving(entry.socket.name);
  entries_.clear();
}

}  // namespace servery
