// Protocol: bytes of one connection in, responses out. The Connection owns one Protocol and chooses
// it (by listener now, by ALPN later). Worker thread only.
#pragma once

#include <cstdint>
#include <span>

#include "common/base/clock.h"

namespace servery::transport {

// What a connection waits for; names its deadline list and its `status` reason.
enum class Waiting : std::uint8_t {
  kFirstByte,  // accepted, nothing read yet (header deadline)
  kHead,       // a request head has begun (header deadline)
  kBody,       // request body (body idle deadline)
  kHandler,    // a handler or the pool works (no deadline)
  kWrite,      // the peer must take bytes (write progress deadline)
  kKeepAlive,  // idle between requests (keep-alive deadline)
  kLinger,     // FIN sent, reading until the peer closes (linger deadline)
};

class Protocol {
 public:
  virtual ~Protocol() = default;
  // `bytes` is the worker's shared read buffer and stays valid only for this call; the protocol
  // copies what it must keep. Answers of everything in `bytes` leave in one write where possible.
  // The bytes are mutable so that field names can be lowercased in place.
  virtual void on_bytes(std::span<char> bytes) = 0;
  virtual void on_peer_closed() = 0;  // FIN read
  virtual void on_writable() = 0;
  virtual void on_deadline(Waiting what) = 0;
  // From now on the last response says the connection ends; idle connections end at once.
  virtual void drain() = 0;
  // True if nothing is buffered, begun or pending: the descriptor could be handed to another
  // worker.
  virtual bool is_idle() const = 0;
};

}  // namespace servery::transport
