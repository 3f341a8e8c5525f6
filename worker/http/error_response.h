// Refusal or Error -> response, in one table, whichever transport. Bodies are configured pages,
// else short text, without path, version or cause. A response is made at its first use for a policy
// and kept with it, so that an error allocates nothing in steady state. Worker thread only.
#pragma once

#include "common/base/result.h"
#include "worker/http/message.h"

namespace servery::http {

// The one mapping of an error code to a refusal (status and reason).
Refusal refusal_for(Errc code);

// The prepared answer for a status, with the policy's fields; nullptr: no policy. 503 carries
// Retry-After. An unknown status is answered as 500.
const PreparedRef& error_response(int status, const HeaderPolicy* policy);

// One that is kept elsewhere, with `fields` besides. The body is the policy's page for the status,
// else its short text; Content-Type goes with it.
PreparedRef make_error(int status, ResponseFields fields, const HeaderPolicy* policy);

// 405 with Allow (RFC 9110 15.5.6) and 204 for OPTIONS; made at build time, one for each route.
PreparedRef make_method_not_allowed(MethodSet allow, const HeaderPolicy* policy);
PreparedRef make_options(MethodSet allow, const HeaderPolicy* policy);
// "GET, HEAD, OPTIONS"
std::string allow_value(MethodSet allow);

// A response from status, fields and body: adds Content-Length where one belongs and applies the
// policy. For everything that is made once and sent often.
PreparedRef make_prepared(ResponseHead head, std::string body, const HeaderPolicy* policy);

}  // namespace servery::http
