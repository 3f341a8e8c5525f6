// PROXY headers. The answer for a whole input is the answer for it in pieces, never beyond the
// bound, and what follows the header changes nothing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "worker/codec/proxy_header.h"

using servery::codec::parse_proxy_header;
using servery::codec::ProxyHeader;
using servery::codec::ProxyHeaderState;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  ProxyHeader header;
  const ProxyHeaderState whole = parse_proxy_header(in, header);
  if (whole == ProxyHeaderState::kNeedMore && size >= servery::codec::kMaxProxyHeader) std::abort();
  ProxyHeader piece;
  ProxyHeaderState state = ProxyHeaderState::kNeedMore;
  std::size_t used = 0;
  while (state == ProxyHeaderState::kNeedMore && used < size) {
    state = parse_proxy_header(in.substr(0, ++used), piece);
  }
  if (state != whole) std::abort();
  if (whole != ProxyHeaderState::kDone) return 0;
  if (header.size == 0 || header.size > servery::codec::kMaxProxyHeader) std::abort();
  if (used != header.size || piece.size != header.size) std::abort();
  if (piece.source != header.source || piece.port != header.port) std::abort();
  const std::string longer = std::string(in) + "GET / HTTP/1.1\r\n";
  if (parse_proxy_header(longer, piece) != ProxyHeaderState::kDone) std::abort();
  if (piece.size != header.size || piece.source != header.source) std::abort();
  return 0;
}
