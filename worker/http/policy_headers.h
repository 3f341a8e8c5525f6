// The server's own policy fields, by one rule each for every transport and feature: security
// defaults, the sandbox of user content, what Cache-Control becomes where not everyone may read.
// Pure; used while routes are built and by HeaderPolicy. What is a default and what is not, and
// why: docs/decisions/0005-default-response-fields.md.
#pragma once

#include <string>
#include <string_view>

#include "worker/http/fields.h"

namespace servery::http {

// For every answer: `X-Content-Type-Options: nosniff`. An answer with a Content-Security-Policy of
// its own (a listing) keeps it; another gets the sandbox's where `sandbox` is on.
void add_security_defaults(HeaderPolicy& policy, bool sandbox);

// The value with `private` in it and without what opens an answer to shared caches: `public`,
// `s-maxage`, `proxy-revalidate` (RFC 9111 3.5, 5.2.2). `no-store` needs no `private`.
std::string private_cache_control(std::string_view value);

}  // namespace servery::http
