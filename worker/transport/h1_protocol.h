// HTTP/1 on one connection (RFC 9112): keep-alive, pipelining, 100-continue, bodies with
// back-pressure, deadlines, an end that loses no answer. Owned by its Connection; worker thread
// only. Small: what only an active request needs is in a pooled H1Stream.
//
//   kIdle <-> kHead -> kExchange -> kSkipBody -> kIdle
//                          |            |
//                          +--> kEnding +--> kEnding -> kLingering -> closed
//
// kExchange: a request is with its handler, or its answer is going out. kSkipBody: the answer is
// out, the rest of the unread body is dropped. kEnding: the last bytes leave. kLingering: FIN is
// sent, input is dropped until the peer closes, so that no RST overtakes the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "worker/codec/h1_writer.h"
#include "worker/http/exchange.h"
#include "worker/transport/h1_stream.h"
#include "worker/transport/protocol.h"

namespace servery::transport {

class Connection;

class H1Protocol final : public Protocol {
 public:
  H1Protocol(Connection& connection, TransportContext& context, std::uint64_t requests);
  ~H1Protocol() override;

  void on_bytes(std::span<char> bytes) override;
  void on_peer_closed() override;
  void on_writable() override;
  void on_deadline(Waiting what) override;
  void on_lost() override;
  void on_drain() override;
  bool is_idle() const override { return state_ == State::kIdle && stream_ == nullptr; }
  int wants() const override;
  std::uint64_t requests() const override { return requests_; }

  // From the stream.
  void send_response(http::ResponseHead head, std::unique_ptr<http::BodySource> source);
  void send_prepared(const http::PreparedRef& response);
  void start_body();
  void resume_body();
  void on_source_ready();

 private:
  enum class State : std::uint8_t {
    kIdle,
    kHead,
    kExchange,
    kSkipBody,
    kEnding,
    kLingering,
    kClosed,
  };
  using Progress = H1Sender::Progress;

  // The engine: uses as much of `in` as possible and says how much that was.
  std::size_t run(std::span<char> in);
  void run_on_kept_input();
  void finish();
  std::optional<std::size_t> take_head(std::span<char> in);
  // `head` is what has come of it, from its first byte.
  void refuse_head(http::Refusal refusal, std::span<const char> head);
  // Both return what they used; 0 when nothing can be done now.
  std::size_t serve(std::span<char> in);
  std::size_t skip_body(std::span<char> in);
  void refuse_body(http::Refusal refusal);
  void pump();
  void complete_response();
  void after_response(bool has_more_input);

  bool wants_bytes() const;
  bool wants_writable() const;
  codec::HeadContext head_context(bool chunked);
  bool may_keep_alive() const;
  bool more_has_come() const;
  bool is_reading_body() const;
  bool is_stalled() const;
  void retain_request();
  void update_deadline();
  Waiting waiting_for() const;
  void end_when_idle();
  void end_connection();
  void lose(http::Exchange::End end);
  H1Stream& stream();
  void release_stream();

  Connection& connection_;
  TransportContext& context_;
  H1Stream* stream_ = nullptr;
  const char* head_begin_ = nullptr;  // of the active request, until it is retained
  std::uint64_t requests_;
  std::uint32_t head_size_ = 0;
  std::uint32_t dropped_ = 0;  // bytes lingered over
  State state_ = State::kIdle;
  Progress progress_ = Progress::kDone;
  bool is_running_ = false;  // inside run(): answers are only collected
  bool keep_alive_ = true;   // the client lets the connection go on
  bool is_http10_ = false;
  bool requests_follow_ = false;   // bytes of a next request were read with this one
  bool closing_ = false;           // the response begun last is the last
  bool must_linger_ = false;       // the peer may still be sending
  bool peer_closed_ = false;       // FIN read
  bool restart_deadline_ = false;  // something has moved
  bool stopped_full_ = false;      // run() stopped because the socket was full
};

}  // namespace servery::transport
