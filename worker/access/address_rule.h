// `allow` and `deny` of a route: whom it serves, by the client's address. Stands before the
// route's other stages, so that who is not served learns nothing of passwords. Built once per
// route; worker thread only.
#pragma once

#include <utility>

#include "common/base/cidr.h"
#include "worker/routing/handler.h"

namespace servery::access {

class AddressRule final : public routing::Stage {
 public:
  // Denied: who is in `deny`; where `allow` is not empty also who is not in it.
  AddressRule(AddressSet allow, AddressSet deny)
      : allow_(std::move(allow)), deny_(std::move(deny)) {}
  Verdict check(http::Exchange& exchange, const routing::RouteMatch& match) override;

 private:
  bool is_denied(std::string_view client) const;

  AddressSet allow_;
  AddressSet deny_;
};

}  // namespace servery::access
