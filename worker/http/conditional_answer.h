// Answers a conditional GET or HEAD of a representation that is at hand, for every feature that has
// one. Worker thread only.
#pragma once

#include <cstdint>

#include "worker/http/conditional.h"
#include "worker/http/exchange.h"

namespace servery::http {

inline constexpr Refusal kPreconditionFailed{412, "precondition_failed"};

// Of the fields of a 200: what a 304 repeats (RFC 9110 15.4.5), which is what guides caches, and
// nothing that describes the content a client has already.
ResponseFields not_modified_fields(const ResponseFields& fields);

// Answers 304 or 412 where the ladder of RFC 9110 13.2.2 says so; false: go on. `fields` are those
// of the 200. `now`: Unix seconds.
bool answer_conditional(Exchange& exchange, const Validators& validators,
                        const ResponseFields& fields, std::int64_t now);

}  // namespace servery::http
