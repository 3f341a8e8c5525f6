// The body of the active HTTP/1 request: read into the exchange's sink with back-pressure, or
// skipped within bounds so that the connection can go on. Part of a pooled H1Stream; worker thread
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "worker/codec/h1_body.h"
#include "worker/http/exchange.h"

namespace servery::transport {

class H1RequestBody {
 public:
  struct Step {
    std::size_t used = 0;
    std::optional<http::Refusal> refusal;  // the connection cannot go on
  };

  explicit H1RequestBody(const http::HeadLimits& limits) : decoder_(limits) {}

  void start(const http::RequestHead& head);
  // The handler reads it, at most `limit` bytes (0: unlimited). True: 100 Continue is due (RFC
  // 9110 10.1.1).
  bool want(const http::RequestHead& head, std::uint64_t limit);
  void resume() { is_paused_ = false; }
  // Nobody reads it any more.
  void forget() { is_wanted_ = false; }

  bool is_done() const { return decoder_.is_done(); }
  // read() is due: there is a sink, and it can take what comes.
  bool is_wanted() const { return is_wanted_ && !is_paused_; }
  // Bytes are waited for.
  bool is_reading() const { return is_wanted() && !is_done(); }
  // Whether what is unread is too much to skip, or its sender still waits for a word about it.
  bool prevents_keep_alive(const http::RequestHead& head) const;

  // Feeds the exchange's sink, to its last call if the body ends. The exchange may be done after.
  Step read(std::span<const char> in, http::Exchange& exchange);
  // Payload bytes a body may have that is skipped; 0: unlimited.
  void set_limit(std::uint64_t limit) { decoder_.set_limit(limit); }
  // Drops up to kMaxSkip bytes of what is left.
  Step skip(std::span<const char> in);
  // Payload bytes since start().
  std::uint64_t received() const { return decoder_.received(); }

 private:
  static constexpr std::uint64_t kMaxSkip = 256 * 1024;

  codec::H1BodyDecoder decoder_;
  std::uint64_t skipped_ = 0;
  bool is_wanted_ = false;
  bool is_paused_ = false;
  bool continue_sent_ = false;
};

}  // namespace servery::transport
