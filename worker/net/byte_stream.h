// A connected byte stream: plain sockets now, TLS beside it later. Owned by its Connection; worker
// thread only. Calls never block. There is no buffering here: the caller keeps what was not taken.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace servery::net {

class ByteStream {
 public:
  enum class Io : std::uint8_t { kOk, kAgain, kEnd, kError };
  struct Result {
    Io io = Io::kOk;
    std::size_t bytes = 0;  // moved; may be short with kOk
    int error_number = 0;   // for kError
  };

  virtual ~ByteStream() = default;
  virtual int fd() const = 0;                     // what the loop polls
  virtual Result read(std::span<char> into) = 0;  // kEnd: the peer sent FIN
  virtual Result write(std::span<const iovec> parts) = 0;
  // Bytes written that the peer has not taken yet; 0 where the kernel cannot tell.
  virtual std::uint64_t unsent() const = 0;
  virtual void shutdown_write() = 0;  // FIN, or close_notify and FIN
  // True if bytes that were read from the socket still wait inside (TLS); the caller must read
  // again.
  virtual bool has_buffered_input() const { return false; }
};

}  // namespace servery::net
