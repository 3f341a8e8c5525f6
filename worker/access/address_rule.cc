#include "worker/access/address_rule.h"

namespace servery::access {

AddressRule::Verdict AddressRule::check(http::Exchange& exchange, const routing::RouteMatch&) {
  if (!is_denied(exchange.client_address())) return Verdict::kContinue;
  exchange.respond_error({403, "address_denied"});
  return Verdict::kAnswered;
}

bool AddressRule::is_denied(std::string_view client) const {
  if (deny_.contains(client)) return true;
  return !allow_.empty() && !allow_.contains(client);
}

}  // namespace servery::access
