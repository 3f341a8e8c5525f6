// HTTP/1 heads, sans-IO (RFC 9112 2-6): bytes in, RawHead out. One per connection, reused; worker
// thread only. A head is parsed once, when it lies complete and contiguous in the caller's buffer;
// until then only the search for its end moves on, so that a slow client costs each byte once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "worker/http/message.h"
#include "worker/http/request_rules.h"

namespace servery::codec {

class H1HeadParser {
 public:
  enum class State : std::uint8_t { kNeedMore, kHead, kRefused };
  struct Outcome {
    State state = State::kNeedMore;
    std::size_t consumed = 0;  // kHead: bytes of the head, with an empty line before it
    http::Refusal refusal;     // kRefused; the connection ends after the answer
  };

  explicit H1HeadParser(http::HeadLimits limits) : limits_(limits) {}

  // `buffer` starts at the first byte of the request and may have moved and grown since the last
  // call; nothing before its end may have changed. kNeedMore: call again with more bytes. kHead:
  // `out` views into `buffer` (field names lowercased in place) and the parser is ready for the
  // next head.
  Outcome parse(std::span<char> buffer, http::RawHead& out);
  // True if nothing but empty lines of the next head was seen.
  bool is_idle() const { return scanned_ == start_; }
  void reset();

 private:
  Outcome find_end(std::span<const char> buffer, std::size_t& end);
  Outcome refuse(http::Refusal refusal);

  http::HeadLimits limits_;
  std::size_t scanned_ = 0;  // bytes already searched
  std::size_t start_ = 0;    // where the request line begins, behind an empty line
  std::size_t line_ = 0;     // where the current line begins
};

// The method of a head of which not all has come or was understood; empty if it is not whole.
std::string_view begun_method(std::span<const char> head);

}  // namespace servery::codec
