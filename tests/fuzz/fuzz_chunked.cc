// Chunked bodies. First byte: limits; second: the size of the pieces. Payload and outcome must not
// depend on the pieces, and no more payload comes out than the limit or the input allow.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "worker/codec/h1_body.h"

namespace {

using servery::codec::H1BodyDecoder;
namespace http = servery::http;

struct Decoded {
  std::string payload;
  std::size_t consumed = 0;
  std::uint16_t status = 0;
  bool done = false;
};

void require(bool holds) {
  if (!holds) std::abort();
}

Decoded decode(std::string_view input, std::size_t piece, std::uint64_t limit,
               const http::HeadLimits& limits) {
  H1BodyDecoder decoder(limits);
  http::RequestHead head;
  head.framing = http::BodyFraming::kChunked;
  decoder.start(head, limit);
  Decoded out;
  while (out.consumed < input.size() && !decoder.is_done()) {
    const std::string_view rest = input.substr(out.consumed, piece);
    const H1BodyDecoder::Step step = decoder.feed(rest);
    require(step.consumed <= rest.size() && step.payload.size() <= step.consumed);
    out.payload.append(step.payload.data(), step.payload.size());
    out.consumed += step.consumed;
    if (step.state == H1BodyDecoder::State::kRefused) {
      out.status = step.refusal.status;
      return out;
    }
    require(step.consumed > 0);
  }
  require(decoder.received() == out.payload.size());
  out.done = decoder.is_done();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::uint64_t limit = data[0] % 16U == 0 ? 0 : data[0] * 4U;
  const http::HeadLimits limits{.header_bytes = 8U + data[0], .header_count = data[0] / 16U};
  const Decoded whole = decode(input, input.size() + 1, limit, limits);
  const Decoded pieces = decode(input, data[1] % 32U + 1U, limit, limits);
  require(whole.payload == pieces.payload && whole.status == pieces.status);
  require(whole.done == pieces.done && whole.consumed == pieces.consumed);
  require(limit == 0 || whole.payload.size() <= limit);
  return 0;
}
