#include "worker/transport/h1_sender.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "worker/transport/context.h"

namespace servery::transport {
namespace {

iovec part(const char* data, std::size_t size) {
  return {const_cast<char*>(data), size};  // a write does not write through it
}

}  // namespace

void H1Sender::detach() {
  stream_ = nullptr;
  pending_.clear();
  pending_sent_ = 0;
  shared_.reset();
  source_.reset();
  progressed_ = false;
  lost_ = false;
}

void H1Sender::make_room(std::size_t bytes) {
  if (context_.output.room().size() < bytes) flush();
}

void H1Sender::put(std::string_view text) {
  make_room(text.size());
  codec::ByteWriter out(context_.output.room());
  out.append(text);
  context_.output.commit(out.size());
}

void H1Sender::put_prepared(const http::PreparedRef& response, const codec::HeadContext& head,
                            bool head_only) {
  const std::size_t body = head_only ? 0 : response->content().size();
  body_bytes_ = body;
  const bool apart = body > kCopyLimit;
  for (int attempt = 0; attempt < 2; ++attempt) {
    codec::ByteWriter out(context_.output.room());
    if (codec::write_prepared(out, *response, head, head_only || apart)) {
      context_.output.commit(out.size());
      break;
    }
    flush();
  }
  if (apart) {
    shared_ = response;
    shared_sent_ = 0;
    flush();
  } else if (context_.output.size() >= kCoalesceLimit) {
    flush();
  }
}

bool H1Sender::put_head(const http::ResponseHead& response, const codec::HeadContext& head) {
  body_bytes_ = 0;
  for (int attempt = 0; attempt < 2; ++attempt) {
    codec::ByteWriter out(context_.output.room());
    if (codec::write_head(out, response, head)) {
      context_.output.commit(out.size());
      return true;
    }
    flush();
  }
  return false;
}

void H1Sender::begin_body(std::unique_ptr<http::BodySource> source, http::SourceWaiter& waiter,
                          bool chunked) {
  source_ = std::move(source);
  source_->set_waiter(&waiter);
  const auto length = source_->length();
  known_length_ = length.has_value();
  left_ = length.value_or(0);
  chunked_ = chunked;
}

std::size_t H1Sender::quota_left() {
  if (const std::uint64_t turn = context_.loop.turn(); turn != quota_turn_) {
    quota_turn_ = turn;
    quota_used_ = 0;
  }
  return quota_used_ < kTurnQuota ? kTurnQuota - quota_used_ : 0;
}

H1Sender::Progress H1Sender::pump() {
  while (source_ != nullptr) {
    if (is_blocked() || context_.output.room().size() < kMinPull) {
      if (const Progress sent = flush(); sent != Progress::kDone) return sent;
    }
    if (quota_left() == 0) {
      const Progress sent = flush();
      return sent == Progress::kDone ? Progress::kQuota : sent;
    }
    if (const Progress step = pull_and_send(); step != Progress::kDone) return step;
  }
  return Progress::kDone;
}

// kDone: go on (the source may have ended).
H1Sender::Progress H1Sender::pull_and_send() {
  OutputBuffer& output = context_.output;
  if (known_length_ && left_ == 0) return end_of_source();
  std::span<char> room = output.room();
  const std::size_t head = chunked_ ? codec::kMaxChunkSizeLine : 0;
  const std::size_t tail = chunked_ ? codec::kChunkEnd.size() : 0;
  room = room.subspan(head, std::min(room.size() - head - tail, quota_left()));
  const http::BodySource::Pull pull = source_->pull(room);
  switch (pull.state) {
    case http::BodySource::State::kBytes:
      break;
    case http::BodySource::State::kPending: {
      const Progress sent = flush();
      return sent == Progress::kDone ? Progress::kWaiting : sent;
    }
    case http::BodySource::State::kEnd:
      return end_of_source();
    case http::BodySource::State::kError:
      return Progress::kBroken;
  }
  quota_used_ += pull.bytes;
  body_bytes_ += pull.bytes;
  if (known_length_) {
    if (pull.bytes > left_) return Progress::kBroken;
    left_ -= pull.bytes;
  }
  if (chunked_) {
    frame_chunk(room.first(pull.bytes));
    return Progress::kDone;
  }
  output.commit(pull.bytes);
  // A body that ends here may leave with the answers after it.
  if (known_length_ && left_ == 0 && output.size() < kCoalesceLimit) return end_of_source();
  return send_pulled(pull.bytes);
}

// The size line stands right before the bytes: what was reserved for it and not used is closed up.
void H1Sender::frame_chunk(std::span<const char> payload) {
  OutputBuffer& output = context_.output;
  codec::ByteWriter out(output.room());
  codec::write_chunk_size(out, payload.size());
  std::memmove(output.room().data() + out.size(), payload.data(), payload.size());
  output.commit(out.size() + payload.size());
  put(codec::kChunkEnd);
}

// Writes the buffer, whose last `pulled` bytes came from the source: those that do not go out go
// back into it, so that a slow client costs no memory.
H1Sender::Progress H1Sender::send_pulled(std::size_t pulled) {
  OutputBuffer& output = context_.output;
  const std::array<iovec, 1> parts{part(output.bytes().data(), output.size())};
  const net::ByteStream::Result result = stream_->write(parts);
  if (result.io == net::ByteStream::Io::kError) return fail_lost();
  progressed_ |= result.bytes > 0;
  const std::size_t unsent = output.size() - result.bytes;
  if (unsent == 0) {
    output.clear();
    return Progress::kDone;
  }
  const std::size_t back = std::min(unsent, pulled);
  if (source_->take_back(back)) {
    output.shrink(back);
    left_ += back;
    body_bytes_ -= back;
  }
  pending_.assign(output.bytes().data() + result.bytes, output.size() - result.bytes);
  output.clear();
  return Progress::kBlocked;
}

H1Sender::Progress H1Sender::end_of_source() {
  if (known_length_ && left_ > 0) return Progress::kBroken;
  if (chunked_) put(codec::kLastChunk);
  source_.reset();
  return Progress::kDone;
}

H1Sender::Progress H1Sender::fail_lost() {
  lost_ = true;
  context_.output.clear();
  return Progress::kLost;
}

H1Sender::Progress H1Sender::flush() {
  OutputBuffer& output = context_.output;
  std::array<iovec, 3> parts;
  std::size_t count = 0;
  if (!pending_.empty()) {
    parts[count++] = part(pending_.data() + pending_sent_, pending_.size() - pending_sent_);
  }
  if (output.size() > 0) parts[count++] = part(output.bytes().data(), output.size());
  if (shared_ != nullptr) {
    const std::string_view rest = shared_->content().substr(shared_sent_);
    parts[count++] = part(rest.data(), rest.size());
  }
  if (lost_) return fail_lost();
  if (count == 0) return Progress::kDone;
  const net::ByteStream::Result result = stream_->write({parts.data(), count});
  if (result.io == net::ByteStream::Io::kError) return fail_lost();
  progressed_ |= result.bytes > 0;
  consume(result.bytes);
  return is_blocked() ? Progress::kBlocked : Progress::kDone;
}

// Takes `sent` bytes off the front; what is left of the buffer moves into pending_.
void H1Sender::consume(std::size_t sent) {
  OutputBuffer& output = context_.output;
  const std::size_t from_pending = std::min(sent, pending_.size() - pending_sent_);
  pending_sent_ += from_pending;
  sent -= from_pending;
  if (pending_sent_ == pending_.size()) {
    pending_.clear();
    pending_sent_ = 0;
  }
  const std::size_t from_output = std::min(sent, output.size());
  sent -= from_output;
  pending_.append(output.bytes().data() + from_output, output.size() - from_output);
  output.clear();
  shared_sent_ += sent;
  if (shared_ != nullptr && shared_sent_ == shared_->content().size()) shared_.reset();
}

}  // namespace servery::transport
