// finish_request_head(): every rule that all transports share, in one place (RFC 9110, RFC 9112).
// A transport brings a RawHead whose names are lowercase tokens and whose values are legal field
// values (worker/http/syntax); out comes a checked RequestHead or a refusal. Pure; worker thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "worker/http/message.h"

namespace servery::http {

// Limits of a request head. A codec holds them while it reads, so that nothing unbounded is kept;
// the refusals are these, whichever the codec.
struct HeadLimits {
  std::size_t header_bytes = 16 * 1024;  // request line and fields with their line ends
  std::size_t header_count = 100;
};
inline constexpr Refusal kTargetTooLong{414, "target_too_long"};
inline constexpr Refusal kHeadTooLarge{431, "header_too_large"};
inline constexpr Refusal kTooManyFields{431, "header_too_many"};
inline constexpr Refusal kBodyTooLarge{413, "body_too_large"};

// Moves the fields of `raw` into `out` (and the emptied list back, so that capacity is kept).
// `scratch` holds what a view into the head cannot (a decoded path, a lowercase host). On a refusal
// `out` is unspecified, and an HTTP/1 connection must end after the answer.
std::optional<Refusal> finish_request_head(RawHead& raw, RequestHead& out, std::string& scratch);

}  // namespace servery::http
