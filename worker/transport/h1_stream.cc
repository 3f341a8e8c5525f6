#include "worker/transport/h1_stream.h"

#include <utility>

#include "worker/transport/context.h"
#include "worker/transport/h1_protocol.h"

namespace servery::transport {

H1Stream::H1Stream(TransportContext& context)
    : parser(context.limits.head), body(context.limits.head), sender(context) {}

void H1Stream::lend(H1Protocol* owner) {
  owner_ = owner;
  if (owner != nullptr) return;
  exchange.reset();
  parser.reset();
  sender.detach();
  input.clear();
  if (input.capacity() > kKeptCapacity) input.shrink_to_fit();
}

void H1Stream::send_response(http::Exchange&, http::ResponseHead head,
                             std::unique_ptr<http::BodySource> source) {
  owner_->send_response(std::move(head), std::move(source));
}

void H1Stream::send_prepared(http::Exchange&, const http::PreparedRef& response) {
  owner_->send_prepared(response);
}

void H1Stream::start_body(http::Exchange&) { owner_->start_body(); }

void H1Stream::resume_body(http::Exchange&) { owner_->resume_body(); }

void H1Stream::on_source_ready() { owner_->on_source_ready(); }

H1StreamPool::H1StreamPool(TransportContext& context) : context_(context) {}

H1StreamPool::~H1StreamPool() = default;

H1Stream& H1StreamPool::acquire(H1Protocol& owner) {
  std::unique_ptr<H1Stream> stream;
  if (free_.empty()) {
    stream = std::make_unique<H1Stream>(context_);
  } else {
    stream = std::move(free_.back());
    free_.pop_back();
  }
  stream->lend(&owner);
  return *stream.release();
}

void H1StreamPool::release(H1Stream& stream) {
  std::unique_ptr<H1Stream> owned(&stream);
  owned->lend(nullptr);
  if (free_.size() < kMaxKept) {
    free_.push_back(std::move(owned));
  } else {
    context_.loop.destroy_later(std::move(owned));
  }
}

}  // namespace servery::transport
