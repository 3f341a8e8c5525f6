// The outgoing half of an HTTP/1 connection while a request is active. Answers collect in the
// worker's output buffer and leave in one write; what the socket does not take waits here. Part of
// a pooled H1Stream; worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "worker/codec/h1_writer.h"
#include "worker/http/body.h"
#include "worker/http/message.h"
#include "worker/net/byte_stream.h"

namespace servery::transport {

struct TransportContext;

class H1Sender {
 public:
  enum class Progress : std::uint8_t {
    kDone,     // nothing of the response is left to produce (bytes may still sit in the buffer)
    kBlocked,  // the socket is full
    kQuota,    // this connection has had its share of the turn
    kWaiting,  // for the source
    kLost,     // the socket failed
    kBroken,   // the source failed or gave too little: the response cannot be completed
  };

  explicit H1Sender(TransportContext& context) : context_(context) {}

  void attach(net::ByteStream& stream) { stream_ = &stream; }
  void detach();

  // Each appends to the buffer, whole.
  void put(std::string_view text);
  void put_prepared(const http::PreparedRef& response, const codec::HeadContext& head,
                    bool head_only);
  // False if the head is larger than any buffer. `source`: null for a response without a body.
  bool put_head(const http::ResponseHead& response, const codec::HeadContext& head);
  void begin_body(std::unique_ptr<http::BodySource> source, http::SourceWaiter& waiter,
                  bool chunked);

  // Moves the body on as far as source, socket and quota allow.
  Progress pump();
  // Writes what has collected: kDone, kBlocked or kLost.
  Progress flush();

  bool has_body() const { return source_ != nullptr; }
  // The socket is full: nothing may be begun on this connection.
  bool is_blocked() const { return !pending_.empty() || shared_ != nullptr; }
  // Of the response begun last; what was taken over by the kernel or waits here.
  std::uint64_t body_bytes() const { return body_bytes_; }
  // Whether bytes have moved since the last question.
  bool take_progress() { return std::exchange(progressed_, false); }

 private:
  static constexpr std::size_t kCopyLimit = 16 * 1024;  // larger bodies are sent from their place
  static constexpr std::size_t kCoalesceLimit = 64 * 1024;  // flush at the latest with this much
  static constexpr std::size_t kMinPull = 16 * 1024;
  static constexpr std::size_t kTurnQuota = 1024 * 1024;

  std::size_t quota_left();
  Progress pull_and_send();
  void frame_chunk(std::span<const char> payload);
  Progress send_pulled(std::size_t pulled);
  Progress end_of_source();
  Progress fail_lost();
  void make_room(std::size_t bytes);
  void consume(std::size_t sent);

  TransportContext& context_;
  net::ByteStream* stream_ = nullptr;
  std::string pending_;  // copied out of the buffer because the socket was full
  std::size_t pending_sent_ = 0;
  http::PreparedRef shared_;  // a large prepared body, behind pending_ and the buffer
  std::size_t shared_sent_ = 0;
  std::unique_ptr<http::BodySource> source_;
  std::uint64_t left_ = 0;  // of a source of known length
  std::uint64_t body_bytes_ = 0;
  std::uint64_t quota_turn_ = 0;
  std::size_t quota_used_ = 0;
  bool known_length_ = false;
  bool chunked_ = false;
  bool progressed_ = false;
  bool lost_ = false;
};

}  // namespace servery::transport
