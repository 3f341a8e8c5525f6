// `trusted_proxies`: whom a request comes from, where a proxy that is trusted passed it on. Reads
// what proxies wrote from the end, and believes each hop only as far as the hop behind it is
// trusted. Asked for each request before anything that looks at its client or host. Built once;
// worker thread only.
#pragma once

#include <utility>

#include "common/base/cidr.h"
#include "worker/http/exchange.h"

namespace servery::access {

class ClientAddress {
 public:
  // Hops walked at most; behind so many trusted ones the last of them is the client.
  static constexpr unsigned kMaxHops = 32;

  explicit ClientAddress(AddressSet trusted) : trusted_(std::move(trusted)) {}
  // Sets the exchange's client and, if the proxies named another, its host. Nothing if its peer is
  // not trusted. Idempotent.
  void identify(http::Exchange& exchange) const;

 private:
  AddressSet trusted_;
};

}  // namespace servery::access
