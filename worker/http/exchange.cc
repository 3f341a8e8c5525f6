#include "worker/http/exchange.h"

#include <cassert>
#include <functional>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "worker/http/error_response.h"

namespace servery::http {
namespace {

// Moves a view from the block at `from` to its copy at `to`; other views stay.
void rebase(std::string_view& view, const char* from, std::size_t size, const char* to) {
  const std::less_equal<const char*> not_after;
  if (view.data() == nullptr || !not_after(from, view.data())) return;
  if (!not_after(view.data() + view.size(), from + size)) return;
  view = std::string_view(to + (view.data() - from), view.size());
}

}  // namespace

Exchange::Exchange(ResponseTransport& transport, const TransportFacts& facts)
    : transport_(transport), facts_(facts) {}

Exchange::~Exchange() = default;

void Exchange::start(RequestTarget& target, SteadyTime now) {
  assert(state_ == State::kIdle);
  state_ = State::kHandling;
  started_at_ = now;
  target_ = &target;
  target.run(*this);
}

void Exchange::restart() {
  assert(state_ == State::kHandling && target_ != nullptr && sink_ == nullptr);
  task_.reset();
  target_->run(*this);
}

void Exchange::refuse(Refusal refusal, SteadyTime now) {
  assert(state_ == State::kIdle);
  state_ = State::kHandling;
  started_at_ = now;
  respond_error(refusal);
}

void Exchange::retain_head(const char* begin, std::size_t size) {
  retained_.assign(begin, size);
  const char* to = retained_.data();
  for (std::string_view* view :
       {&request_.target, &request_.path, &request_.raw_path, &request_.query, &request_.host,
        &request_.authority, &proxy_host_}) {
    rebase(*view, begin, size, to);
  }
  for (FieldView& field : request_.fields.mutable_list()) {
    rebase(field.name, begin, size, to);
    rebase(field.value, begin, size, to);
  }
}

void Exchange::set_forwarded(std::string_view address, std::string_view scheme) {
  client_address_ = address;
  scheme_ = scheme;
  proxy_host_ = {};
  is_forwarded_ = true;
}

void Exchange::set_forwarded_host(std::string_view authority, std::string_view host) {
  proxy_host_ = request_.host;
  if (host.ends_with('.')) host.remove_suffix(1);
  client_host_.clear();
  for (const char c : host) client_host_ += ascii_lower(c);
  request_.host = client_host_;
  request_.authority = authority;
}

void Exchange::respond(ResponseHead head, std::unique_ptr<BodySource> body) {
  assert(state_ == State::kHandling);
  if (status_has_body(head.status)) {
    const std::optional<std::uint64_t> length = body ? body->length() : std::uint64_t{0};
    if (length) head.fields.set(FieldId::kContentLength, std::to_string(*length));
  }
  if (policy_ != nullptr) policy_->apply(head.fields);
  if (extra_fields_ != nullptr) {
    for (const ResponseField& field : *extra_fields_) head.fields.add(field.name, field.value);
  }
  status_ = head.status;
  state_ = State::kResponding;
  transport_.send_response(*this, std::move(head), std::move(body));
}

void Exchange::respond(const PreparedRef& prepared) {
  assert(state_ == State::kHandling);
  status_ = prepared->status;
  state_ = State::kResponding;
  transport_.send_prepared(*this, prepared);
}

void Exchange::respond_error(Refusal refusal) {
  respond_error(refusal, error_response(refusal.status, policy_));
}

void Exchange::respond_error(Refusal refusal, const PreparedRef& prepared) {
  reason_ = refusal.reason;
  respond(prepared);
}

void Exchange::read_body(BodySink& sink) {
  assert(state_ == State::kHandling && sink_ == nullptr);
  sink_ = &sink;
  transport_.start_body(*this);
}

void Exchange::end_body() {
  if (BodySink* sink = std::exchange(sink_, nullptr)) sink->on_end();
}

void Exchange::abort_body(const Error& error) {
  if (BodySink* sink = std::exchange(sink_, nullptr)) sink->on_abort(error);
}

void Exchange::set_task(std::unique_ptr<ExchangeTask> task) {
  // An answer given before its task was set leaves nothing to keep.
  if (state_ == State::kHandling || state_ == State::kResponding) task_ = std::move(task);
}

void Exchange::on_response_sent(std::uint64_t body_bytes, ExchangeObserver* observer) {
  assert(state_ == State::kResponding);
  finish(End::kCompleted, body_bytes, observer);
}

void Exchange::on_transport_lost(End end, std::uint64_t body_bytes, ExchangeObserver* observer) {
  if (state_ == State::kIdle || state_ == State::kDone) return;
  finish(end, body_bytes, observer);
}

void Exchange::finish(End end, std::uint64_t body_bytes, ExchangeObserver* observer) {
  state_ = State::kDone;
  end_ = end;
  body_bytes_ = body_bytes;
  sink_ = nullptr;
  if (observer != nullptr) observer->on_exchange_done(*this);
  task_.reset();
}

void Exchange::reset() {
  assert(state_ == State::kIdle || state_ == State::kDone);
  policy_ = nullptr;
  extra_fields_ = nullptr;
  target_ = nullptr;
  access_ = {};
  body_limit_ = 0;
  body_bytes_ = 0;
  reason_ = {};
  status_ = 0;
  state_ = State::kIdle;
  end_ = End::kCompleted;
  is_forwarded_ = false;
}

}  // namespace servery::http
