#include "worker/features/redirect/redirect_handler.h"

#include <utility>

namespace servery::features {
namespace {

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

Result<std::unique_ptr<RedirectHandler>> RedirectHandler::create(std::string_view to, int status) {
  if (!is_redirect(status)) return fail(Errc::kInvalid, "a redirect is 301, 302, 303, 307 or 308");
  RedirectTarget target = SERVERY_TRY(RedirectTarget::parse(to));
  return std::unique_ptr<RedirectHandler>(new RedirectHandler(std::move(target), status));
}

RedirectHandler::RedirectHandler(RedirectTarget target, int status)
    : target_(std::move(target)), status_(status) {}

void RedirectHandler::handle(http::Exchange& exchange, const routing::RouteMatch& match) {
  if (target_.needs_host() && exchange.request().host.empty()) {
    exchange.respond_error({400, "host_missing"});
    return;
  }
  http::ResponseHead head;
  head.status = status_;
  head.fields.add(http::FieldId::kLocation, target_.expand(exchange.request(), match.rest));
  exchange.respond(std::move(head), nullptr);
}

}  // namespace servery::features
