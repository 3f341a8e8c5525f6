// Protocol: bytes of one connection in, responses out. The Connection owns one Protocol and chooses
// it (by listener now, by ALPN later). Worker thread only.
#pragma once

#include <cstdint>
#include <span>

namespace servery::transport {

// What a connection waits for; names its deadline list and its `status` reason.
enum class Waiting : std::uint8_t {
  kFirstByte,  // accepted, nothing read yet (header deadline)
  kHead,       // a request head has begun (header deadline)
  kBody,       // request body (body idle deadline)
  kHandler,    // a handler or the pool works (no deadline)
  kWrite,      // the peer must take bytes (write progress deadline)
  kKeepAlive,  // idle between requests (keep-alive deadline)
  kGrace,      // draining and idle; a request already on its way is still answered
  kLinger,     // FIN sent, reading until the peer closes (linger deadline)
};
inline constexpr std::size_t kWaitingCount = 8;

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
  // The socket has failed or is cut; the last call.
  virtual void on_lost() = 0;
  // The worker has begun to drain (TransportContext::drain): the last response says that the
  // connection ends; an idle one ends at once, or is offered to another worker.
  virtual void on_drain() = 0;
  // True if nothing is buffered, begun or pending: the descriptor could be handed to another
  // worker.
  virtual bool is_idle() const = 0;
  // What it waits for from the socket, as bits.
  static constexpr int kBytes = 1;
  static constexpr int kWritable = 2;
  virtual int wants() const = 0;
  // Answered on this connection, here or by workers before.
  virtual std::uint64_t requests() const = 0;
};

}  // namespace servery::transport
