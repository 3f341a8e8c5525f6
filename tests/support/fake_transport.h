// A ResponseTransport that keeps what an exchange answers, and an exchange on it with a request
// made from text. For unit tests of handlers and of the pipeline.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/http/exchange.h"
#include "worker/http/request_rules.h"

namespace servery::test {

class FakeTransport final : public http::ResponseTransport {
 public:
  void send_response(http::Exchange& exchange, http::ResponseHead head,
                     std::unique_ptr<http::BodySource> /*body*/) override {
    status = head.status;
    fields = std::move(head.fields);
    finish(exchange);
  }
  void send_prepared(http::Exchange& exchange, const http::PreparedRef& response) override {
    status = response->status;
    fields = response->fields;
    if (exchange.extra_fields() != nullptr) {
      for (const http::ResponseField& extra : *exchange.extra_fields()) {
        fields.add(extra.name, extra.value);
      }
    }
    body = response->body;
    finish(exchange);
  }
  void start_body(http::Exchange& /*exchange*/) override { body_wanted = true; }
  void resume_body(http::Exchange& /*exchange*/) override {}

  std::string field(std::string_view name) const {
    const std::string* value = fields.find(name);
    return value == nullptr ? std::string() : *value;
  }

  int status = 0;
  int answers = 0;
  bool body_wanted = false;
  http::ResponseFields fields;
  std::string body;

 private:
  void finish(http::Exchange& exchange) {
    ++answers;
    exchange.on_response_sent(body.size(), nullptr);
  }
};

// A request as a transport would have read it; names lowercase.
struct RequestText {
  std::string method = "GET";
  std::string target = "/";
  std::string host = "localhost";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string peer = {};
};

// Keeps the text that the request's views point into.
class FakeExchange {
 public:
  explicit FakeExchange(RequestText text) : text_(std::move(text)), exchange_(transport, facts_) {
    facts_.scheme = "http";
    facts_.peer = text_.peer;
    http::RawHead raw;
    raw.method = text_.method;
    raw.target = text_.target;
    raw.fields.add({http::FieldId::kHost, "host", text_.host});
    for (const auto& [name, value] : text_.fields) {
      raw.fields.add({http::field_id(name), name, value});
    }
    refusal = http::finish_request_head(raw, exchange_.mutable_request(), exchange_.scratch());
  }
  FakeExchange(const FakeExchange&) = delete;
  FakeExchange& operator=(const FakeExchange&) = delete;

  http::Exchange& operator*() { return exchange_; }
  http::Exchange* operator->() { return &exchange_; }
  void run(http::RequestTarget& target) { exchange_.start(target, SteadyTime{}); }

  FakeTransport transport;
  std::optional<http::Refusal> refusal;  // the text was no valid request

 private:
  RequestText text_;
  http::TransportFacts facts_;
  http::Exchange exchange_;
};

}  // namespace servery::test
