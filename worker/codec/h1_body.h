// HTTP/1 request bodies, sans-IO (RFC 9112 6, 7): counted or chunked. One per connection, reused;
// worker thread only. Chunk extensions and trailer fields are checked, bounded and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "worker/http/message.h"
#include "worker/http/request_rules.h"

namespace servery::codec {

class H1BodyDecoder {
 public:
  enum class State : std::uint8_t {
    kMore,     // everything given was taken; the body goes on
    kBytes,    // `payload` is part of the body, perhaps its last (is_done); feed the rest again
    kDone,     // the body has ended; what follows `consumed` is the next request
    kRefused,  // the connection ends after the answer
  };
  struct Step {
    State state = State::kMore;
    std::size_t consumed = 0;       // bytes of the input this step used
    std::span<const char> payload;  // inside the input
    http::Refusal refusal;
  };

  // Extensions and trailers together may be as long as the payload and header_bytes; header_count
  // limits the trailers.
  explicit H1BodyDecoder(http::HeadLimits limits) : limits_(limits) {}

  // Begins the body of a checked head. `limit`: most payload bytes, 0 = unlimited; exceeding it is
  // refused with 413 before the surplus is given out.
  void start(const http::RequestHead& head, std::uint64_t limit);
  // The limit may become known after start (a route's body_bytes).
  void set_limit(std::uint64_t limit) { limit_ = limit; }
  Step feed(std::span<const char> input);
  bool is_done() const { return phase_ == Phase::kDone; }
  std::uint64_t received() const { return received_; }  // payload bytes so far
  // Bytes still to come for a counted body; 0 for a chunked one.
  std::uint64_t remaining() const { return phase_ == Phase::kCounted ? left_ : 0; }

 private:
  enum class Phase : std::uint8_t {
    kCounted,
    kSize,       // hex digits
    kExtension,  // chunk-ext
    kSizeLf,     // the LF behind them
    kData,
    kDataCr,
    kDataLf,
    kTrailer,
    kTrailerLf,  // the LF of a trailer field
    kLastLf,     // the LF of the empty line
    kDone,
    kBroken,
  };
  // Where inside chunk-ext (RFC 9112 7.1.1) the decoder stands.
  enum class Extension : std::uint8_t {
    kBeforeSemicolon,
    kBeforeName,
    kName,
    kAfterName,
    kBeforeValue,
    kValue,
    kQuoted,
    kQuotedPair,
    kAfterQuoted,
    kBroken,
  };
  enum class Trailer : std::uint8_t { kLineStart, kName, kValue };
  using Verdict = const http::Refusal*;  // nullptr: go on

  Step feed_counted(std::span<const char> input);
  Step feed_data(std::span<const char> input, std::size_t at);
  Verdict take(char c);
  Verdict take_size(char c);
  Verdict take_extension(char c);
  static Extension next_extension(Extension now, char c);
  Verdict end_size_line();
  Verdict take_trailer(char c);
  Verdict count_overhead();

  http::HeadLimits limits_;
  std::uint64_t limit_ = 0;
  std::uint64_t left_ = 0;  // of the counted body or the current chunk
  std::uint64_t received_ = 0;
  std::size_t overhead_ = 0;           // bytes of extensions and trailers so far
  std::size_t trailers_ = 0;           // trailer fields so far
  std::uint16_t extension_bytes_ = 0;  // of the current chunk
  std::uint8_t digits_ = 0;            // of the current chunk size
  Phase phase_ = Phase::kDone;
  Extension extension_ = Extension::kBeforeSemicolon;
  Trailer trailer_ = Trailer::kLineStart;
};

}  // namespace servery::codec
