#include "worker/features/respond/respond_handler.h"

#include <memory>
#include <utility>

#include "worker/http/error_response.h"

namespace servery::features {
namespace {

// Reads the request body to its end, then answers. A body that breaks is answered by the transport.
class AnswerAfterBody final : public http::ExchangeTask, public http::BodySink {
 public:
  AnswerAfterBody(http::Exchange& exchange, const http::PreparedRef& response)
      : exchange_(exchange), response_(response) {}

  bool on_bytes(std::span<const char> /*bytes*/) override { return true; }
  void on_end() override { exchange_.respond(response_); }
  void on_abort(const Error& /*error*/) override {}

 private:
  http::Exchange& exchange_;
  const http::PreparedRef& response_;
};

}  // namespace

RespondHandler::RespondHandler(int status, std::string body, const http::HeaderPolicy& policy) {
  http::ResponseHead head;
  head.status = status;
  if (!body.empty()) head.fields.add(http::FieldId::kContentType, "text/plain; charset=utf-8");
  response_ = http::make_prepared(std::move(head), std::move(body), &policy);
}

http::MethodSet RespondHandler::methods() const {
  http::MethodSet set;
  set.add(http::Method::kGet);
  set.add(http::Method::kHead);
  return set;
}

void RespondHandler::handle(http::Exchange& exchange, const routing::RouteMatch& /*match*/) {
  if (!exchange.request().has_body()) {
    exchange.respond(response_);
    return;
  }
  auto task = std::make_unique<AnswerAfterBody>(exchange, response_);
  http::BodySink& sink = *task;
  exchange.set_task(std::move(task));
  exchange.read_body(sink);
}

}  // namespace servery::features
