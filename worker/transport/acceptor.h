// The listening sockets a worker polls, its own and lent ones: bounded accepting, admission, and
// what is done when descriptors run out. Owned by the worker; worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/unique_fd.h"
#include "common/loop/timer.h"
#include "worker/transport/connections.h"
#include "worker/transport/listener.h"

namespace servery::transport {

class AcceptorEvents {
 public:
  // A leaving socket is closed here. `leftover`: handshakes given up when the time ran out.
  virtual void on_socket_empty(const std::string& listener, unsigned slot,
                               std::uint32_t leftover) = 0;

 protected:
  ~AcceptorEvents() = default;
};

class Acceptor final : private ListenerOwner {
 public:
  Acceptor(TransportContext& context, Connections& connections, AcceptorEvents& events);
  ~Acceptor();

  Status add(ListenSocket socket);
  // Stops polling and closes the copies.
  void remove_slot(unsigned slot);
  void remove_all_but_leaving();
  // Section 8 rule 6 (c); see Worker::leave. False if there is no such socket.
  bool leave(std::string_view listener, unsigned slot, Milliseconds limit);

  // Listener names by the number a Connection carries; grows only.
  const std::vector<std::string>& names() const { return names_; }
  std::uint32_t number_of(std::string_view name);
  bool is_empty() const { return listeners_.empty(); }

 private:
  static constexpr Milliseconds kPause{100};

  void on_acceptable(Listener& listener) override;
  void on_left(Listener& listener, std::uint32_t leftover) override;
  bool accept_one(Listener& listener);
  void admit(Listener& listener, UniqueFd socket, const PeerAddress& peer);
  void shed(UniqueFd socket, Metric reason);
  // True if a connection was shed, so that the queue moves on.
  bool shed_without_descriptor(Listener& listener);
  void pause_all();

  TransportContext& context_;
  Connections& connections_;
  AcceptorEvents& events_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::string> names_;
  int admission_end_;
  UniqueFd reserve_;  // given up to accept, and shed, when no descriptor is left
  Timer resume_;      // after accepting has failed in a way that would repeat at once
};

}  // namespace servery::transport
