#include "worker/transport/h1_protocol.h"

#include <string>
#include <utility>

#include "worker/codec/h1_connection.h"
#include "worker/http/request_rules.h"
#include "worker/transport/connection.h"
#include "worker/transport/context.h"

namespace servery::transport {
namespace {

// After FIN: what is dropped at most, and what has to come for the wait to start anew. A client
// that reads only when all is sent gets its answer (RFC 9112 9.6); one that drips does not hold on.
constexpr std::uint32_t kMaxLinger = 16 * 1024 * 1024;
constexpr std::uint32_t kLingerStep = 64 * 1024;
constexpr http::Refusal kHeaderTimeout{408, "header_timeout"};
constexpr http::Refusal kBodyTimeout{408, "body_timeout"};

}  // namespace

H1Protocol::H1Protocol(Connection& connection, TransportContext& context, std::uint64_t requests)
    : connection_(connection), context_(context), requests_(requests) {}

H1Protocol::~H1Protocol() {
  if (stream_ != nullptr) lose(http::Exchange::End::kAborted);
}

// ---- what the connection reports ----

void H1Protocol::on_bytes(std::span<char> bytes) {
  if (state_ == State::kLingering) {
    const std::uint32_t steps = dropped_ / kLingerStep;
    dropped_ += static_cast<std::uint32_t>(bytes.size());
    if (dropped_ > kMaxLinger) {
      connection_.close();
    } else if (dropped_ / kLingerStep != steps) {
      restart_deadline_ = true;
      update_deadline();
    }
    return;
  }
  std::string& kept = stream().input;
  if (!kept.empty()) {
    kept.append(bytes.data(), bytes.size());
    run_on_kept_input();
    return;
  }
  const std::size_t used = run(bytes);
  if (state_ == State::kClosed) return;
  retain_request();
  if (used < bytes.size()) kept.assign(bytes.data() + used, bytes.size() - used);
  finish();
}

void H1Protocol::run_on_kept_input() {
  std::string& kept = stream().input;
  const std::size_t used = run(kept);
  if (state_ == State::kClosed) return;
  retain_request();
  kept.erase(0, used);
  finish();
}

void H1Protocol::on_peer_closed() {
  peer_closed_ = true;
  if (is_reading_body()) {  // the rest of the body will never come
    lose(http::Exchange::End::kClientGone);
    connection_.close();
    return;
  }
  end_when_idle();
}

void H1Protocol::on_writable() {
  if (stream_ == nullptr) return;
  if (stream_->sender.is_blocked() && stream_->sender.flush() == Progress::kLost) {
    lose(http::Exchange::End::kClientGone);
    connection_.close();
    return;
  }
  progress_ = Progress::kDone;
  run_on_kept_input();
}

void H1Protocol::on_lost() { lose(http::Exchange::End::kClientGone); }

void H1Protocol::on_drain() {
  if (is_idle()) finish();
}

void H1Protocol::on_deadline(Waiting what) {
  MetricWords metrics = context_.metrics;
  switch (what) {
    case Waiting::kHead:
      metrics.add(Metric::kTimeoutHeader);
      refuse_head(kHeaderTimeout, stream_->input);
      run_on_kept_input();
      return;
    case Waiting::kBody:
      metrics.add(Metric::kTimeoutBody);
      if (state_ == State::kExchange) {
        refuse_body(kBodyTimeout);
        run_on_kept_input();
        return;
      }
      break;
    case Waiting::kFirstByte:
      metrics.add(Metric::kTimeoutHeader);
      break;
    case Waiting::kWrite:
      metrics.add(Metric::kTimeoutWrite);
      lose(http::Exchange::End::kTimeout);
      break;
    case Waiting::kKeepAlive:
    case Waiting::kGrace:
      if (what == Waiting::kKeepAlive) metrics.add(Metric::kTimeoutKeepalive);
      if (what == Waiting::kGrace) metrics.add(Metric::kDrainClosedIdle);
      end_connection();
      return;
    case Waiting::kLinger:
    case Waiting::kHandler:
      break;
  }
  lose(http::Exchange::End::kTimeout);
  connection_.close();
}

int H1Protocol::wants() const {
  if (stream_ == nullptr && !peer_closed_) return kBytes;
  return (wants_bytes() ? kBytes : 0) | (wants_writable() ? kWritable : 0);
}

bool H1Protocol::wants_bytes() const {
  if (peer_closed_) return false;
  switch (state_) {
    case State::kIdle:
    case State::kHead:
      return !is_stalled();
    case State::kExchange:
      return is_reading_body();
    case State::kSkipBody:
    case State::kLingering:
      return true;
    case State::kEnding:
    case State::kClosed:
      return false;
  }
  return false;
}

bool H1Protocol::wants_writable() const {
  return is_stalled() || progress_ == Progress::kQuota || progress_ == Progress::kBlocked;
}

bool H1Protocol::is_stalled() const {
  return stream_ != nullptr && (stream_->sender.is_blocked() || stopped_full_);
}

bool H1Protocol::is_reading_body() const {
  return state_ == State::kExchange && stream_->body.is_reading() &&
         stream_->exchange.body_sink() != nullptr;
}

// ---- the engine ----

std::size_t H1Protocol::run(std::span<char> in) {
  is_running_ = true;
  stopped_full_ = false;
  std::size_t used = 0;
  std::uint64_t heads = 0;
  while (true) {
    const std::span<char> rest = in.subspan(used);
    if (state_ == State::kIdle || state_ == State::kHead) {
      if (rest.empty()) break;
      stopped_full_ = stream_->sender.is_blocked();
      if (stopped_full_) break;
      // The first had begun to arrive when the turn began. What follows may have been sent later,
      // after an answer of this turn to somebody else: what was proved for that is no proof for it.
      if (++heads == 2 && context_.loop.others_came_before()) context_.loop.next_turn();
      const std::optional<std::size_t> head = take_head(rest);
      if (!head) break;
      used += *head;
    } else if (state_ == State::kExchange) {
      const std::size_t n = serve(rest);
      if (state_ == State::kExchange && n == 0) break;
      used += n;
    } else if (state_ == State::kSkipBody) {
      used += skip_body(rest);
      if (state_ == State::kSkipBody) break;
    } else {  // ending: what still comes is dropped
      must_linger_ |= !rest.empty();
      used = in.size();
      break;
    }
  }
  is_running_ = false;
  return used;
}

// nullopt: more bytes are needed.
std::optional<std::size_t> H1Protocol::take_head(std::span<char> in) {
  H1Stream& stream = *stream_;
  const codec::H1HeadParser::Outcome outcome = stream.parser.parse(in, stream.raw);
  switch (outcome.state) {
    case codec::H1HeadParser::State::kNeedMore:
      if (stream.parser.is_idle()) {  // empty lines begin no request (RFC 9112 2.2)
        stream.parser.reset();
        state_ = State::kIdle;
        return in.size();
      }
      state_ = State::kHead;
      return std::nullopt;
    case codec::H1HeadParser::State::kRefused:
      refuse_head(outcome.refusal, in);
      return 0;
    case codec::H1HeadParser::State::kHead:
      break;
  }
  head_begin_ = in.data();
  head_size_ = static_cast<std::uint32_t>(outcome.consumed);
  const codec::H1Persistence persistence =
      codec::h1_persistence(stream.raw.version_minor, stream.raw.fields);
  keep_alive_ = persistence.keep_alive;
  is_http10_ = persistence.is_http10;
  http::TransportFacts& facts = stream.facts;
  facts.can_send_informational = facts.can_chunk = !is_http10_;
  facts.protocol = is_http10_ ? "HTTP/1.0" : "HTTP/1.1";
  if (const auto refusal = http::finish_request_head(stream.raw, stream.exchange.mutable_request(),
                                                     stream.exchange.scratch())) {
    refuse_head(*refusal, in);
    return outcome.consumed;
  }
  state_ = State::kExchange;
  ++requests_;
  const http::RequestHead& request = stream.exchange.request();
  requests_follow_ = request.framing != http::BodyFraming::kChunked &&
                     in.size() - outcome.consumed > request.content_length;
  stream.body.start(request);
  stream.exchange.start(context_.target, context_.loop.now());
  return outcome.consumed;
}

// Nothing behind a broken head can be understood: the connection ends with the answer.
void H1Protocol::refuse_head(http::Refusal refusal, std::span<const char> head) {
  context_.metrics.add(Metric::kMalformedRequests);
  H1Stream& stream = *stream_;
  state_ = State::kExchange;
  closing_ = must_linger_ = true;
  keep_alive_ = false;
  stream.exchange.mutable_request() = {};
  // The answer to a broken HEAD has no body either (RFC 9110 9.3.2).
  stream.exchange.mutable_request().method =
      http::parse_method(codec::begun_method(head)).value_or(http::Method::kUnknown);
  stream.body.start(stream.exchange.request());
  stream.exchange.set_header_policy(&context_.policy);
  const bool was_running = std::exchange(is_running_, true);
  stream.exchange.refuse(refusal, context_.loop.now());
  is_running_ = was_running;
}

std::size_t H1Protocol::serve(std::span<char> in) {
  H1Stream& stream = *stream_;
  std::size_t used = 0;
  if (stream.exchange.state() != http::Exchange::State::kDone && stream.body.is_wanted()) {
    const H1RequestBody::Step step = stream.body.read(in, stream.exchange);
    used = step.used;
    restart_deadline_ |= used > 0;
    if (step.refusal) refuse_body(*step.refusal);
  }
  if (stream.sender.has_body()) pump();
  if (state_ != State::kExchange) return used;
  if (stream.exchange.state() == http::Exchange::State::kDone) after_response(used < in.size());
  return used;
}

// The rest of the body cannot be told from the next request: the connection ends.
void H1Protocol::refuse_body(http::Refusal refusal) {
  context_.metrics.add(Metric::kMalformedRequests);
  http::Exchange& exchange = stream_->exchange;
  closing_ = must_linger_ = true;
  stream_->body.forget();
  exchange.abort_body(
      {refusal.status == 413 ? Errc::kTooLarge : Errc::kInvalid, std::string(refusal.reason)});
  if (exchange.state() != http::Exchange::State::kHandling) return;
  const bool was_running = std::exchange(is_running_, true);
  exchange.respond_error(refusal);
  is_running_ = was_running;
}

std::size_t H1Protocol::skip_body(std::span<char> in) {
  const H1RequestBody::Step step = stream_->body.skip(in);
  restart_deadline_ |= step.used > 0;
  if (step.refusal) {
    must_linger_ = true;
    state_ = State::kEnding;
  } else if (stream_->body.is_done()) {
    state_ = State::kIdle;
  }
  return step.used;
}

void H1Protocol::after_response(bool has_more_input) {
  H1Stream& stream = *stream_;
  head_begin_ = nullptr;
  context_.metrics.add(Metric::kRequestBytes, stream.body.received());
  if (closing_) {
    must_linger_ |= keep_alive_ || has_more_input || !stream.body.is_done();
    state_ = State::kEnding;
  } else if (!stream.body.is_done()) {
    // One whose length is told was judged by it; the surplus may be skipped.
    if (stream.exchange.request().framing == http::BodyFraming::kChunked) {
      stream.body.set_limit(stream.exchange.body_limit());
    }
    state_ = State::kSkipBody;
  } else {
    state_ = State::kIdle;
  }
  stream.exchange.reset();
}

// ---- after each event ----

// After everything an event brought about: what has collected leaves in one write.
void H1Protocol::finish() {
  if (stream_ != nullptr) {
    if (stream_->sender.flush() == Progress::kLost) {
      lose(http::Exchange::End::kClientGone);
      connection_.close();
      return;
    }
    restart_deadline_ |= stream_->sender.take_progress();
    const bool is_empty = stream_->input.empty() && stream_->parser.is_idle();
    if (state_ == State::kIdle && is_empty && !stream_->sender.is_blocked()) release_stream();
  }
  if (state_ == State::kEnding && !stream_->sender.is_blocked()) {
    end_connection();
    return;
  }
  end_when_idle();
}

// Where nothing is going on: whether the connection is still of use.
void H1Protocol::end_when_idle() {
  const bool is_working = state_ == State::kExchange || state_ == State::kEnding;
  if (peer_closed_ && !is_stalled() && !is_working) {
    lose(http::Exchange::End::kClientGone);
    connection_.close();
    return;
  }
  if (is_idle() && context_.drain == Drain::kAtOnce && requests_ > 0) {
    context_.metrics.add(Metric::kDrainClosedIdle);
    end_connection();
    return;
  }
  update_deadline();
  if (is_idle() && context_.drain == Drain::kHandOver) connection_.report_idle();
  connection_.settle();
}

// Everything is sent. A client that asked for the end and has nothing under way gets a plain close;
// any other is read from until it closes, because closing with unread input sends RST.
void H1Protocol::end_connection() {
  if (stream_ != nullptr) release_stream();
  if (peer_closed_ || (state_ == State::kEnding && !must_linger_)) {
    state_ = State::kClosed;
    connection_.close();
    return;
  }
  state_ = State::kLingering;
  dropped_ = 0;
  connection_.stream().shutdown_write();
  update_deadline();
  connection_.settle();
}

void H1Protocol::lose(http::Exchange::End end) {
  state_ = State::kClosed;
  if (stream_ == nullptr) return;
  stream_->exchange.on_transport_lost(end, stream_->sender.body_bytes(), &context_.observer);
  context_.output.clear();
  release_stream();
}

H1Stream& H1Protocol::stream() {
  if (stream_ == nullptr) {
    stream_ = &context_.streams.acquire(*this);
    stream_->sender.attach(connection_.stream());
    const PeerAddress& peer = connection_.peer();
    stream_->facts.scheme = "http";
    stream_->facts.peer = peer.text();
    stream_->facts.peer_port = peer.port();
  }
  return *stream_;
}

void H1Protocol::release_stream() {
  context_.streams.release(*std::exchange(stream_, nullptr));
  progress_ = Progress::kDone;
  stopped_full_ = false;
}

// The buffer the request's views point into is about to change.
void H1Protocol::retain_request() {
  if (state_ != State::kExchange || head_begin_ == nullptr) return;
  stream_->exchange.retain_head(head_begin_, head_size_);
  head_begin_ = nullptr;
}

void H1Protocol::update_deadline() {
  if (state_ == State::kClosed) return;
  connection_.wait_for(waiting_for(), std::exchange(restart_deadline_, false));
}

Waiting H1Protocol::waiting_for() const {
  if (wants_writable()) return Waiting::kWrite;
  switch (state_) {
    case State::kIdle:
      // Who has connected and not yet asked has no other connection to turn to: where nobody stops
      // the service, it keeps its time.
      if (requests_ == 0 && context_.drain != Drain::kAtOnce) return Waiting::kFirstByte;
      return context_.drain == Drain::kNone ? Waiting::kKeepAlive : Waiting::kGrace;
    case State::kHead:
      return Waiting::kHead;
    case State::kExchange:
      return is_reading_body() ? Waiting::kBody : Waiting::kHandler;
    case State::kSkipBody:
      return Waiting::kBody;
    case State::kEnding:
    case State::kLingering:
    case State::kClosed:
      return Waiting::kLinger;
  }
  return Waiting::kHandler;
}

}  // namespace servery::transport
