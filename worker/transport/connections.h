// All connections of the worker: the table that owns them, the count of the whole service, the end
// of each at the end of its turn, and drain. Owned by the worker; worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/unique_fd.h"
#include "worker/transport/connection.h"
#include "worker/transport/context.h"

namespace servery::transport {

// Places for connections, over all workers of the service.
class ConnectionBudget {
 public:
  // `forced`: counted beyond the limit too (a connection that another worker gives away).
  virtual bool try_open(bool forced) = 0;
  virtual void close() = 0;

 protected:
  ~ConnectionBudget() = default;
};

// What became of connections while draining.
class DrainListener {
 public:
  // An idle connection that may be handed over (Drain::kHandOver).
  virtual void on_idle_connection(Connection& connection) = 0;
  // Destroyed at the end of this turn.
  virtual void on_connection_closed(Connection& connection) = 0;

 protected:
  ~DrainListener() = default;
};

// Connections by what they wait for.
struct ConnectionCounts {
  std::uint32_t idle = 0;
  std::uint32_t response = 0;
  std::uint32_t request = 0;
  std::uint32_t handler = 0;
};

class Connections final : public ConnectionOwner {
 public:
  Connections(TransportContext& context, ConnectionBudget& budget)
      : context_(context), budget_(budget) {}
  ~Connections();

  void set_drain_listener(DrainListener& listener) { drain_listener_ = &listener; }

  // nullptr: the limit is reached; the socket is left to the caller.
  Connection* open(UniqueFd& socket, const PeerAddress& peer, std::uint32_t listener,
                   Connection::Start start, std::uint64_t requests, bool forced);
  // After TransportContext::drain has changed.
  void drain();
  // The deadline: everything ends now.
  void cut_all();

  std::size_t size() const { return table_.size(); }
  ConnectionCounts counts() const;

 private:
  void on_closed(Connection& connection) override;
  void on_idle(Connection& connection) override;

  TransportContext& context_;
  ConnectionBudget& budget_;
  DrainListener* drain_listener_ = nullptr;
  std::vector<std::unique_ptr<Connection>> table_;
};

}  // namespace servery::transport
