#include "worker/transport/connections.h"

#include <utility>

namespace servery::transport {

Connections::~Connections() {
  while (!table_.empty()) {
    table_.pop_back();
    budget_.close();
  }
}

Connection* Connections::open(UniqueFd& socket, const PeerAddress& peer, std::uint32_t listener,
                              Connection::Start start, std::uint64_t requests, bool forced) {
  if (!budget_.try_open(forced)) return nullptr;
  table_.push_back(std::make_unique<Connection>(context_, *this, std::move(socket), peer, listener,
                                                start, requests));
  Connection& connection = *table_.back();
  connection.index = static_cast<std::uint32_t>(table_.size() - 1);
  context_.metrics.set(Metric::kConnections, table_.size());
  return &connection;
}

void Connections::on_closed(Connection& connection) {
  const std::size_t index = connection.index;
  std::unique_ptr<Connection> owned = std::move(table_[index]);
  if (index + 1 != table_.size()) {
    table_[index] = std::move(table_.back());
    table_[index]->index = static_cast<std::uint32_t>(index);
  }
  table_.pop_back();
  budget_.close();
  context_.metrics.set(Metric::kConnections, table_.size());
  if (drain_listener_ != nullptr) drain_listener_->on_connection_closed(connection);
  context_.loop.destroy_later(std::move(owned));
}

void Connections::on_idle(Connection& connection) {
  if (drain_listener_ != nullptr) drain_listener_->on_idle_connection(connection);
}

void Connections::drain() {
  // From the back: a connection that ends takes the last one into its place.
  for (std::size_t i = table_.size(); i-- > 0;) {
    if (i < table_.size()) table_[i]->drain();
  }
}

void Connections::cut_all() {
  while (!table_.empty()) {
    context_.metrics.add(Metric::kDrainForced);
    table_.back()->cut();
  }
}

ConnectionCounts Connections::counts() const {
  ConnectionCounts counts;
  for (const auto& connection : table_) {
    switch (connection->waiting()) {
      case Waiting::kFirstByte:
      case Waiting::kKeepAlive:
      case Waiting::kGrace:
      case Waiting::kLinger:
        ++counts.idle;
        break;
      case Waiting::kHead:
      case Waiting::kBody:
        ++counts.request;
        break;
      case Waiting::kWrite:
        ++counts.response;
        break;
      case Waiting::kHandler:
        ++counts.handler;
        break;
    }
  }
  return counts;
}

}  // namespace servery::transport
