// `respond`: a fixed answer, made once. A request body is read to its end and dropped first, so
// that a broken one is refused and not answered 200. One per route; worker thread only.
#pragma once

#include <cstdint>
#include <string>

#include "worker/routing/handler.h"

namespace servery::features {

class RespondHandler final : public routing::Handler {
 public:
  RespondHandler(int status, std::string body, const http::HeaderPolicy& policy);
  http::MethodSet methods() const override;
  void handle(http::Exchange& exchange, const routing::RouteMatch& match) override;

 private:
  http::PreparedRef response_;
};

}  // namespace servery::features
