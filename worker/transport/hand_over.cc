#include "worker/transport/hand_over.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace servery::transport {

HandOver::HandOver(TransportContext& context, HandOverSink& sink,
                   const std::vector<std::string>& names)
    : context_(context), sink_(sink), names_(names) {}

HandOver::~HandOver() { *alive_ = false; }

// A connection is offered once: one that came back is ended by its grace.
void HandOver::on_idle_connection(Connection& connection) {
  if (!seen_.insert(&connection).second) return;
  waiting_.push_back(&connection);
  schedule();
}

void HandOver::on_connection_closed(Connection& connection) {
  if (seen_.erase(&connection) == 0) return;  // offer_batch() passes over it in waiting_
  std::erase_if(offered_, [&](const auto& entry) { return entry.second == &connection; });
}

void HandOver::schedule() {
  if (is_scheduled_ || !offered_.empty() || waiting_.empty()) return;
  is_scheduled_ = true;
  context_.loop.post([this, alive = alive_] {
    if (!*alive) return;
    is_scheduled_ = false;
    offer_batch();
  });
}

void HandOver::offer_batch() {
  std::vector<HandedConnection> batch;
  while (!waiting_.empty() && batch.size() < kMaxBatch) {
    const auto known = seen_.find(waiting_.back());
    waiting_.pop_back();
    if (known == seen_.end() || (*known)->is_suspended()) continue;  // closed meanwhile
    Connection& connection = **known;
    if (!connection.is_idle()) {  // a request came first
      seen_.erase(&connection);
      continue;
    }
    UniqueFd copy(::fcntl(connection.stream().fd(), F_DUPFD_CLOEXEC, 0));
    if (!copy) continue;  // ended by its grace
    connection.suspend();
    offered_.emplace(next_id_, &connection);
    batch.push_back({.id = next_id_++,
                     .fd = std::move(copy),
                     .listener = names_[connection.listener()],
                     .peer = std::string(connection.peer().text()),
                     .peer_port = connection.peer().port(),
                     .requests = connection.requests()});
  }
  if (!batch.empty()) sink_.on_hand_over(std::move(batch));
}

void HandOver::on_done(const std::vector<std::uint64_t>& offered,
                       const std::vector<std::uint64_t>& taken) {
  for (const std::uint64_t id : offered) {
    const auto found = offered_.find(id);
    if (found == offered_.end()) continue;
    Connection& connection = *found->second;
    offered_.erase(found);
    if (std::find(taken.begin(), taken.end(), id) != taken.end()) {
      context_.metrics.add(Metric::kHandoverSent);
      connection.close();
    } else {
      context_.metrics.add(Metric::kHandoverKept);
      connection.resume();
    }
  }
  schedule();
}

void HandOver::cancel() {
  waiting_.clear();
  const auto offered = std::exchange(offered_, {});
  for (const auto& [id, connection] : offered) connection->resume();
}

}  // namespace servery::transport
