// Sends what a Range field chose of a representation of known length: the whole, one part, several
// as multipart/byteranges, or 416. The same for files, cached content and archives. Worker thread
// only.
#pragma once

#include <cstdint>

#include "worker/body/parts_source.h"
#include "worker/http/exchange.h"
#include "worker/http/range.h"

namespace servery::body {

// `fields` are those of a 200, with Content-Type; `size` the whole length.
void answer_range(http::Exchange& exchange, const http::RangeChoice& choice,
                  http::ResponseFields fields, std::uint64_t size, RangeOpener open);

}  // namespace servery::body
