// ByteStream over a plain socket (TCP or Unix). Owned by its Connection; worker thread only.
#pragma once

#include "common/base/unique_fd.h"
#include "worker/net/byte_stream.h"

namespace servery::net {

class PlainStream final : public ByteStream {
 public:
  // `socket` is connected and non-blocking.
  explicit PlainStream(UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const override { return socket_.get(); }
  Result read(std::span<char> into) override;
  Result write(std::span<const iovec> parts) override;
  std::uint64_t unsent() const override;
  void shutdown_write() override;

 private:
  UniqueFd socket_;
};

}  // namespace servery::net
