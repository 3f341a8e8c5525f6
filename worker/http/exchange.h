// One request and its response: the seam of the system. Any number of transports create an
// Exchange, any number of handlers answer it. Owned by the transport's stream; worker thread only;
// reused.
//
//   kIdle -> kHandling -> kResponding -> kDone
//              start()      respond*()     on_response_sent() | on_transport_lost()
//
// Order of calls on a handler: handle() once; the task (set_task) is destroyed at kDone, or earlier
// when the client goes away, and after that the handler hears nothing more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "worker/http/body.h"
#include "worker/http/message.h"
#include "worker/http/rights.h"

namespace servery::http {

class Exchange;

// Where a checked request goes; routing/pipeline implements it.
class RequestTarget {
 public:
  // May answer before it returns. `exchange` outlives the answer.
  virtual void run(Exchange& exchange) = 0;

 protected:
  ~RequestTarget() = default;
};

// The answering half of a transport (HTTP/1 connection, HTTP/2 stream).
class ResponseTransport {
 public:
  virtual void send_response(Exchange& exchange, ResponseHead head,
                             std::unique_ptr<BodySource> body) = 0;
  virtual void send_prepared(Exchange& exchange, const PreparedRef& response) = 0;
  // The handler wants the request body (sends 100-continue if expected and not yet sent).
  virtual void start_body(Exchange& exchange) = 0;
  virtual void resume_body(Exchange& exchange) = 0;

 protected:
  ~ResponseTransport() = default;
};

// Sees every finished exchange, whatever its end (access log, metrics). Must not block or allocate.
class ExchangeObserver {
 public:
  virtual void on_exchange_done(const Exchange& exchange) = 0;

 protected:
  ~ExchangeObserver() = default;
};

// A handler's asynchronous state; destroying it cancels its pool jobs.
class ExchangeTask {
 public:
  virtual ~ExchangeTask() = default;
};

class Exchange {
 public:
  enum class State : std::uint8_t { kIdle, kHandling, kResponding, kDone };
  enum class End : std::uint8_t { kCompleted, kClientGone, kAborted, kTimeout };

  Exchange(ResponseTransport& transport, const TransportFacts& facts);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // ---- transport side ----
  // The transport fills this (through finish_request_head) before start().
  RequestHead& mutable_request() { return request_; }
  // The scratch for what a view cannot hold (decoded paths); capacity is kept over requests.
  std::string& scratch() { return scratch_; }
  void start(RequestTarget& target, SteadyTime now);
  // Instead of start(), for a head that was refused: answers it.
  void refuse(Refusal refusal, SteadyTime now);
  // Copies the head block [begin, begin+size) and moves every view into the copy. Called by the
  // transport when start() returned without a complete answer and its buffer is needed again.
  void retain_head(const char* begin, std::size_t size);
  // The transport's reports; each ends in the observer being told once and the task destroyed.
  void on_response_sent(std::uint64_t body_bytes, ExchangeObserver* observer);
  void on_transport_lost(End end, std::uint64_t body_bytes, ExchangeObserver* observer);
  // Ready for the next request on the same connection.
  void reset();
  // Who takes the request body; null: nobody has asked for it, or it has ended.
  BodySink* body_sink() const { return sink_; }
  // Tells the sink its last call and forgets it.
  void end_body();
  void abort_body(const Error& error);

  // ---- whom the request comes from ----
  // As a trusted proxy says (worker/access/client_address): the client's address, and the scheme by
  // which it asked, a literal. Set before the request is looked at.
  void set_forwarded(std::string_view address, std::string_view scheme);
  // The host that it asked for, in place of the one that the proxy did, which proxy_host() is then.
  void set_forwarded_host(std::string_view authority, std::string_view host);
  bool is_forwarded() const { return is_forwarded_; }
  // Numeric, without port; empty on Unix sockets.
  std::string_view client_address() const {
    return is_forwarded_ ? std::string_view(client_address_) : facts_.peer;
  }
  std::string_view scheme() const { return is_forwarded_ ? scheme_ : facts_.scheme; }
  std::string_view proxy_host() const { return is_forwarded_ ? proxy_host_ : std::string_view(); }

  // ---- handler side ----
  const RequestHead& request() const { return request_; }
  const TransportFacts& facts() const { return facts_; }
  SteadyTime started_at() const { return started_at_; }

  // The route's configured response fields; set by the pipeline, applied by respond() to every
  // answer except prepared ones, which were made with it.
  void set_header_policy(const HeaderPolicy* policy) { policy_ = policy; }
  const HeaderPolicy* header_policy() const { return policy_; }
  // Fields of this answer, prepared or not, that depend on who asks (CORS); null: none. Set by the
  // pipeline; they outlive the exchange.
  void set_extra_fields(const ResponseFields* fields) { extra_fields_ = fields; }
  const ResponseFields* extra_fields() const { return extra_fields_; }
  // Most bytes of a request body on this route; set by the pipeline. 0 = unlimited.
  void set_body_limit(std::uint64_t bytes) { body_limit_ = bytes; }
  std::uint64_t body_limit() const { return body_limit_; }

  // Whom the request comes from; set by the route's stage, all rights where there is none.
  void set_access(const Access& access) { access_ = access; }
  const Access& access() const { return access_; }

  // Sends the request through its target anew, for a stage that had to wait for something and has
  // it now. Ends the task.
  void restart();

  // Exactly one of the three, once; the task may be gone when it returns. `body` may be null (no
  // body). Content-Length is added from body->length() where known. For HEAD the source is asked
  // for its length and never pulled.
  void respond(ResponseHead head, std::unique_ptr<BodySource> body);
  void respond(const PreparedRef& prepared);
  // The status, short body and fields of error_response's table.
  void respond_error(Refusal refusal);
  // A refusal whose answer was made beforehand.
  void respond_error(Refusal refusal, const PreparedRef& prepared);

  // Wants the request body; without this call it is skipped by the transport (within limits).
  void read_body(BodySink& sink);
  void resume_body() { transport_.resume_body(*this); }
  // Keeps `task` alive until the exchange is done.
  void set_task(std::unique_ptr<ExchangeTask> task);

  // ---- facts for observers ----
  State state() const { return state_; }
  int status() const { return status_; }
  End end() const { return end_; }
  std::uint64_t body_bytes_sent() const { return body_bytes_; }
  std::string_view reason() const { return reason_; }  // of a refusal, else empty

 private:
  void finish(End end, std::uint64_t body_bytes, ExchangeObserver* observer);

  ResponseTransport& transport_;
  const TransportFacts& facts_;
  RequestHead request_;
  std::string scratch_;
  std::string retained_;
  std::unique_ptr<ExchangeTask> task_;
  BodySink* sink_ = nullptr;
  RequestTarget* target_ = nullptr;
  const HeaderPolicy* policy_ = nullptr;
  const ResponseFields* extra_fields_ = nullptr;
  std::uint64_t body_limit_ = 0;
  std::uint64_t body_bytes_ = 0;
  std::string_view reason_;
  Access access_;
  std::string client_address_;  // these four: with is_forwarded_ only
  std::string client_host_;
  std::string_view scheme_;
  std::string_view proxy_host_;
  SteadyTime started_at_{};
  int status_ = 0;
  State state_ = State::kIdle;
  End end_ = End::kCompleted;
  bool is_forwarded_ = false;
};

}  // namespace servery::http
