// `redirect`: an answer with a Location made from the configured text and the request. One per
// route; worker thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "worker/features/redirect/redirect_target.h"
#include "worker/routing/handler.h"

namespace servery::features {

class RedirectHandler final : public routing::Handler {
 public:
  // kInvalid: an unknown {name} in `to`, or a status that redirects nothing.
  static Result<std::unique_ptr<RedirectHandler>> create(std::string_view to, int status);
  http::MethodSet methods() const override { return http::MethodSet::any(); }
  void handle(http::Exchange& exchange, const routing::RouteMatch& match) override;

 private:
  RedirectHandler(RedirectTarget target, int status);

  RedirectTarget target_;
  int status_;
};

}  // namespace servery::features
