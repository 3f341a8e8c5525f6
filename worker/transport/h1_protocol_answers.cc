// H1Protocol: what the exchange and its handler ask for - answers, bodies, and whether the
// connection goes on after them. The engine is in h1_protocol.cc.
#include <sys/ioctl.h>

#include <utility>

#include "worker/transport/connection.h"
#include "worker/transport/context.h"
#include "worker/transport/h1_protocol.h"

namespace servery::transport {

void H1Protocol::send_prepared(const http::PreparedRef& response) {
  const http::RequestHead& request = stream_->exchange.request();
  codec::HeadContext context = head_context(false);
  context.extra = stream_->exchange.extra_fields();
  stream_->sender.put_prepared(response, context, request.method == http::Method::kHead);
  complete_response();
  if (!is_running_) run_on_kept_input();
}

void H1Protocol::send_response(http::ResponseHead head, std::unique_ptr<http::BodySource> source) {
  const bool has_body = source != nullptr && http::status_has_body(head.status) &&
                        stream_->exchange.request().method != http::Method::kHead;
  const bool is_open_ended = has_body && !source->length();
  const bool chunked = is_open_ended && !is_http10_;
  closing_ |= is_open_ended && !chunked;  // RFC 9112 6.3: ends with the connection
  if (!stream_->sender.put_head(head, head_context(chunked))) {
    progress_ = Progress::kBroken;
    lose(http::Exchange::End::kAborted);
    connection_.close();
    return;
  }
  if (has_body) {
    stream_->sender.begin_body(std::move(source), *stream_, chunked);
    progress_ = Progress::kDone;
  } else {
    complete_response();
  }
  if (!is_running_) run_on_kept_input();
}

codec::HeadContext H1Protocol::head_context(bool chunked) {
  closing_ |= !may_keep_alive();
  const auto connection = closing_     ? codec::ConnectionField::kClose
                          : is_http10_ ? codec::ConnectionField::kKeepAlive
                                       : codec::ConnectionField::kNone;
  return {context_.date_line(), connection, chunked, nullptr};
}

// Decided when the head is written, so that a drain that began meanwhile is heeded.
bool H1Protocol::may_keep_alive() const {
  const std::uint64_t limit = context_.limits.requests_per_connection;
  return keep_alive_ && (context_.drain == Drain::kNone || more_has_come()) &&
         (limit == 0 || requests_ < limit) &&
         !stream_->body.prevents_keep_alive(stream_->exchange.request());
}

// A drain ends the connection with the last request that has come: what was pipelined behind this
// one is owed an answer too.
bool H1Protocol::more_has_come() const {
  int waiting = 0;
  return requests_follow_ ||
         (::ioctl(connection_.stream().fd(), FIONREAD, &waiting) == 0 && waiting > 0);
}

void H1Protocol::start_body() {
  H1Stream& stream = *stream_;
  if (stream.body.want(stream.exchange.request(), stream.exchange.body_limit())) {
    stream.sender.put(codec::kContinue);
  }
  if (!is_running_) run_on_kept_input();
}

void H1Protocol::resume_body() {
  stream_->body.resume();
  if (!is_running_) run_on_kept_input();
}

void H1Protocol::on_source_ready() {
  progress_ = Progress::kDone;
  run_on_kept_input();
}

void H1Protocol::pump() {
  if (progress_ == Progress::kWaiting) return;
  progress_ = stream_->sender.pump();
  switch (progress_) {
    case Progress::kDone:
      complete_response();
      return;
    case Progress::kLost:
      lose(http::Exchange::End::kClientGone);
      connection_.close();
      return;
    case Progress::kBroken:
      context_.metrics.add(Metric::kResponsesAborted);
      lose(http::Exchange::End::kAborted);
      connection_.close();
      return;
    case Progress::kBlocked:
    case Progress::kQuota:
    case Progress::kWaiting:
      return;
  }
}

void H1Protocol::complete_response() {
  stream_->exchange.on_response_sent(stream_->sender.body_bytes(), &context_.observer);
}

}  // namespace servery::transport
