// One request to a handler that answers from the pool: runs a real loop until the answer is out,
// pulls its body as a transport would, and can leave in the middle. For unit tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/loop/loop.h"
#include "worker/http/exchange.h"

namespace servery::test {

struct ProbeAnswer {
  int status = 0;
  http::ResponseFields fields;
  std::string body;
  bool has_body = false;
  bool is_broken = false;  // the body ended as an error
  std::optional<std::uint64_t> length;

  std::string field(std::string_view name) const {
    const std::string* value = fields.find(name);
    return value == nullptr ? std::string() : *value;
  }
};

struct ProbeRequest {
  std::string path = "/";
  std::string query = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  http::Method method = http::Method::kGet;
};

class HandlerProbe final : private http::ResponseTransport,
                           private http::RequestTarget,
                           private http::SourceWaiter {
 public:
  using Handle = std::function<void(http::Exchange&)>;

  HandlerProbe(Loop& loop, ProbeRequest request, Handle handle)
      : loop_(loop),
        text_(std::move(request)),
        handle_(std::move(handle)),
        exchange_(*this, facts_) {
    http::RequestHead& head = exchange_.mutable_request();
    head.method = text_.method;
    head.path = text_.path;
    head.raw_path = text_.path;
    head.query = text_.query;
    head.has_query = !text_.query.empty();
    for (const auto& [name, value] : text_.fields) {
      head.fields.add({http::field_id(name), name, value});
    }
  }

  // Until the whole answer is there.
  ProbeAnswer run() {
    start();
    if (!is_done_) run_loop();
    return std::move(answer_);
  }
  // Only the head: the body is left unread, as by a client that does not take it.
  ProbeAnswer& run_until_head() {
    stops_at_head_ = true;
    start();
    if (answer_.status == 0) run_loop();
    return answer_;
  }
  // The next bytes at most; for bodies left unread. Runs the loop while the source is not ready.
  std::size_t pull_some(std::size_t most) {
    std::string buffer(most, '\0');
    while (true) {
      const auto pull = body_->pull(buffer);
      if (pull.state == http::BodySource::State::kBytes) {
        answer_.body.append(buffer, 0, pull.bytes);
        return pull.bytes;
      }
      if (pull.state != http::BodySource::State::kPending) {
        answer_.is_broken = pull.state == http::BodySource::State::kError;
        return 0;
      }
      run_loop();
    }
  }
  bool take_back(std::size_t bytes) {
    answer_.body.resize(answer_.body.size() - bytes);
    return body_->take_back(bytes);
  }
  const ProbeAnswer& answer() const { return answer_; }
  // The client goes away while the handler works; what is under way is given a turn to be heard.
  void start_and_leave() {
    start();
    leave();
    loop_.post([this] { stop_loop(); });
    run_loop();
  }
  // The client goes away.
  void leave() {
    body_.reset();
    exchange_.on_transport_lost(http::Exchange::End::kClientGone, 0, nullptr);
  }

 private:
  void run_loop() {
    is_running_ = true;
    loop_.run();
    is_running_ = false;
  }
  // A stop outside of run() would end the next one.
  void stop_loop() {
    if (is_running_) loop_.stop();
  }
  void start() { exchange_.start(*this, SteadyTime{}); }
  void run(http::Exchange& exchange) override { handle_(exchange); }

  void send_response(http::Exchange& /*exchange*/, http::ResponseHead head,
                     std::unique_ptr<http::BodySource> body) override {
    answer_.status = head.status;
    answer_.fields = std::move(head.fields);
    body_ = std::move(body);
    answer_.has_body = body_ != nullptr;
    if (body_) {
      answer_.length = body_->length();
      body_->set_waiter(this);
    }
    if (stops_at_head_) {
      stop_loop();
    } else {
      pump();
    }
  }
  void send_prepared(http::Exchange& /*exchange*/, const http::PreparedRef& response) override {
    answer_.status = response->status;
    answer_.fields = response->fields;
    answer_.body = response->body;
    finish();
  }
  void start_body(http::Exchange& /*exchange*/) override { ADD_FAILURE() << "no body was sent"; }
  void resume_body(http::Exchange& /*exchange*/) override {}
  void on_source_ready() override {
    if (stops_at_head_) {
      stop_loop();
    } else {
      pump();
    }
  }
  void pump() {
    if (text_.method == http::Method::kHead || body_ == nullptr) {
      finish();
      return;
    }
    std::string buffer(10'000, '\0');
    while (true) {
      const auto pull = body_->pull(buffer);
      if (pull.state == http::BodySource::State::kPending) return;
      if (pull.state != http::BodySource::State::kBytes) {
        answer_.is_broken = pull.state == http::BodySource::State::kError;
        finish();
        return;
      }
      answer_.body.append(buffer, 0, pull.bytes);
    }
  }
  void finish() {
    is_done_ = true;
    exchange_.on_response_sent(answer_.body.size(), nullptr);
    stop_loop();
  }

  Loop& loop_;
  ProbeRequest text_;
  Handle handle_;
  http::TransportFacts facts_;
  http::Exchange exchange_;
  std::unique_ptr<http::BodySource> body_;
  ProbeAnswer answer_;
  bool is_running_ = false;
  bool stops_at_head_ = false;
  bool is_done_ = false;
};

}  // namespace servery::test
