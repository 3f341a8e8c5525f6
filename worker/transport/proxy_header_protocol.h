// The first protocol of a connection on a listener with `proxy_protocol`: takes the PROXY header,
// then hands the connection, under its client's address, to the protocol behind it. Owned by its
// Connection; worker thread only. Until then the connection is not idle: no other worker could know
// whether the header has come.
#pragma once

#include <string>

#include "worker/transport/context.h"
#include "worker/transport/protocol.h"

namespace servery::transport {

class ProxyHeaderProtocol final : public Protocol {
 public:
  ProxyHeaderProtocol(Connection& connection, TransportContext& context)
      : connection_(connection), context_(context) {}

  void on_bytes(std::span<char> bytes) override;
  void on_peer_closed() override;
  void on_writable() override {}
  void on_deadline(Waiting what) override;
  void on_lost() override {}
  void on_drain() override;
  bool is_idle() const override { return false; }
  int wants() const override { return kBytes; }
  std::uint64_t requests() const override { return 0; }

 private:
  void refuse();

  Connection& connection_;
  TransportContext& context_;
  std::string kept_;  // a header that has not come whole; bounded by the parser
};

}  // namespace servery::transport
