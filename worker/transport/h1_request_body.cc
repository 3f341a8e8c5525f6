#include "worker/transport/h1_request_body.h"

namespace servery::transport {
namespace {

using State = codec::H1BodyDecoder::State;

constexpr http::Refusal kUnreadBody{413, "body_unread"};

}  // namespace

void H1RequestBody::start(const http::RequestHead& head) {
  decoder_.start(head, 0);
  skipped_ = 0;
  is_wanted_ = is_paused_ = continue_sent_ = false;
}

bool H1RequestBody::want(const http::RequestHead& head, std::uint64_t limit) {
  decoder_.set_limit(limit);
  is_wanted_ = true;
  if (!head.expect_continue || continue_sent_) return false;
  continue_sent_ = true;
  return true;
}

bool H1RequestBody::prevents_keep_alive(const http::RequestHead& head) const {
  if (is_done()) return false;
  return (head.expect_continue && !continue_sent_) || decoder_.remaining() > kMaxSkip;
}

H1RequestBody::Step H1RequestBody::read(std::span<const char> in, http::Exchange& exchange) {
  Step step;
  while (is_reading() && step.used < in.size()) {
    http::BodySink* const sink = exchange.body_sink();
    if (sink == nullptr) break;  // the handler has answered meanwhile
    const codec::H1BodyDecoder::Step fed = decoder_.feed(in.subspan(step.used));
    step.used += fed.consumed;
    if (fed.state == State::kRefused) {
      step.refusal = fed.refusal;
      return step;
    }
    if (fed.state == State::kBytes && !sink->on_bytes(fed.payload)) is_paused_ = true;
  }
  if (is_wanted() && is_done()) {
    is_wanted_ = false;
    exchange.end_body();
  }
  return step;
}

H1RequestBody::Step H1RequestBody::skip(std::span<const char> in) {
  Step step;
  while (!is_done() && step.used < in.size()) {
    const codec::H1BodyDecoder::Step fed = decoder_.feed(in.subspan(step.used));
    step.used += fed.consumed;
    skipped_ += fed.payload.size();
    if (fed.state == State::kRefused) step.refusal = fed.refusal;
    if (skipped_ > kMaxSkip) step.refusal = kUnreadBody;
    if (step.refusal) return step;
  }
  return step;
}

}  // namespace servery::transport
