#include "worker/codec/h1_body.h"

#include <algorithm>

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::codec {
namespace {

using http::Refusal;

constexpr Refusal kBadChunk{400, "chunk_invalid"};
constexpr Refusal kBadExtension{400, "chunk_extension_invalid"};
constexpr Refusal kBadTrailer{400, "trailer_invalid"};
constexpr Refusal kOverhead{431, "trailer_too_large"};
constexpr Refusal kTooManyTrailers{431, "trailer_too_many"};
constexpr std::uint16_t kMaxExtension = 256;  // bytes of one chunk's extensions
constexpr std::uint8_t kMaxSizeDigits = 16;

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_text(char c) { return http::is_field_value({&c, 1}); }

}  // namespace

void H1BodyDecoder::start(const http::RequestHead& head, std::uint64_t limit) {
  limit_ = limit;
  received_ = 0;
  overhead_ = 0;
  trailers_ = 0;
  digits_ = 0;
  left_ = 0;
  trailer_ = Trailer::kLineStart;
  if (head.framing == http::BodyFraming::kChunked) {
    phase_ = Phase::kSize;
    return;
  }
  left_ = head.framing == http::BodyFraming::kLength ? head.content_length : 0;
  phase_ = left_ > 0 ? Phase::kCounted : Phase::kDone;
}

H1BodyDecoder::Step H1BodyDecoder::feed(std::span<const char> input) {
  if (phase_ == Phase::kCounted) return feed_counted(input);
  std::size_t at = 0;
  while (phase_ != Phase::kDone && at < input.size()) {
    if (phase_ == Phase::kData) return feed_data(input, at);
    const Verdict refusal = take(input[at++]);
    if (refusal == nullptr) continue;
    phase_ = Phase::kBroken;
    return {State::kRefused, at, {}, *refusal};
  }
  return {phase_ == Phase::kDone ? State::kDone : State::kMore, at, {}, {}};
}

H1BodyDecoder::Step H1BodyDecoder::feed_counted(std::span<const char> input) {
  if (limit_ > 0 && received_ + left_ > limit_) {
    phase_ = Phase::kBroken;
    return {State::kRefused, 0, {}, http::kBodyTooLarge};
  }
  return feed_data(input, 0);
}

H1BodyDecoder::Step H1BodyDecoder::feed_data(std::span<const char> input, std::size_t at) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size() - at));
  if (size == 0) return {State::kMore, at, {}, {}};
  left_ -= size;
  received_ += size;
  if (left_ == 0) phase_ = phase_ == Phase::kCounted ? Phase::kDone : Phase::kDataCr;
  return {State::kBytes, at + size, input.subspan(at, size), {}};
}

H1BodyDecoder::Verdict H1BodyDecoder::take(char c) {
  switch (phase_) {
    case Phase::kSize:
      return take_size(c);
    case Phase::kExtension:
      return take_extension(c);
    case Phase::kSizeLf:
      return c == '\n' ? end_size_line() : &kBadChunk;
    case Phase::kDataCr:
      phase_ = Phase::kDataLf;
      return c == '\r' ? nullptr : &kBadChunk;
    case Phase::kDataLf:
      phase_ = Phase::kSize;
      digits_ = 0;
      return c == '\n' ? nullptr : &kBadChunk;
    case Phase::kTrailer:
      return take_trailer(c);
    case Phase::kTrailerLf:
      phase_ = Phase::kTrailer;
      return c == '\n' ? nullptr : &kBadTrailer;
    case Phase::kLastLf:
      phase_ = Phase::kDone;
      return c == '\n' ? nullptr : &kBadTrailer;
    case Phase::kCounted:
    case Phase::kData:
    case Phase::kDone:
    case Phase::kBroken:
      break;
  }
  return &kBadChunk;
}

// chunk-size = 1*HEXDIG (RFC 9112 7.1), of at most 64 bits.
H1BodyDecoder::Verdict H1BodyDecoder::take_size(char c) {
  const int digit = hex_digit(c);
  if (digit >= 0) {
    if (digits_ == kMaxSizeDigits) return &kBadChunk;
    ++digits_;
    left_ = left_ * 16 + static_cast<unsigned>(digit);
    return nullptr;
  }
  if (digits_ == 0) return &kBadChunk;
  if (c == '\r') {
    phase_ = Phase::kSizeLf;
    return nullptr;
  }
  phase_ = Phase::kExtension;
  extension_ = Extension::kBeforeSemicolon;
  extension_bytes_ = 0;
  return take_extension(c);
}

// chunk-ext = *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ) (RFC 9112 7.1.1)
H1BodyDecoder::Verdict H1BodyDecoder::take_extension(char c) {
  const bool is_whole = extension_ == Extension::kName || extension_ == Extension::kValue ||
                        extension_ == Extension::kAfterQuoted;
  if (is_whole && c == '\r') {
    phase_ = Phase::kSizeLf;
    return nullptr;
  }
  if (++extension_bytes_ > kMaxExtension) return &kBadExtension;
  if (const Verdict refusal = count_overhead()) return refusal;
  const bool has_space_behind =
      extension_ == Extension::kBeforeSemicolon || extension_ == Extension::kAfterName;
  if ((is_whole || has_space_behind) && c == ';') {
    extension_ = Extension::kBeforeName;
    return nullptr;
  }
  const Extension next = next_extension(extension_, c);
  if (next == Extension::kBroken) return &kBadExtension;
  extension_ = next;
  return nullptr;
}

// The grammar's states but for the ends that take_extension() sees to.
H1BodyDecoder::Extension H1BodyDecoder::next_extension(Extension now, char c) {
  using E = Extension;
  const bool is_token = http::is_token_char(c);
  switch (now) {
    case E::kBeforeSemicolon:
    case E::kBeforeName:
    case E::kAfterName:
    case E::kBeforeValue:
      if (is_blank(c)) return now;
      if (now == E::kBeforeName && is_token) return E::kName;
      if (now == E::kAfterName && c == '=') return E::kBeforeValue;
      if (now != E::kBeforeValue) break;
      if (c == '"') return E::kQuoted;
      return is_token ? E::kValue : E::kBroken;
    case E::kName:
      if (is_token) return now;
      if (c == '=') return E::kBeforeValue;
      return is_blank(c) ? E::kAfterName : E::kBroken;
    case E::kValue:
      if (is_token) return now;
      return is_blank(c) ? E::kBeforeSemicolon : E::kBroken;
    case E::kQuoted:
      if (c == '"') return E::kAfterQuoted;
      if (c == '\\') return E::kQuotedPair;
      return is_text(c) ? now : E::kBroken;
    case E::kQuotedPair:
      return is_text(c) ? E::kQuoted : E::kBroken;
    case E::kAfterQuoted:
      return is_blank(c) ? E::kBeforeSemicolon : E::kBroken;
    case E::kBroken:
      break;
  }
  return E::kBroken;
}

H1BodyDecoder::Verdict H1BodyDecoder::end_size_line() {
  if (left_ == 0) {
    phase_ = Phase::kTrailer;
    return nullptr;
  }
  phase_ = Phase::kData;
  return limit_ > 0 && left_ > limit_ - std::min(limit_, received_) ? &http::kBodyTooLarge
                                                                    : nullptr;
}

// Trailer fields (RFC 9112 7.1.2) by the grammar of header fields; none is used.
H1BodyDecoder::Verdict H1BodyDecoder::take_trailer(char c) {
  if (const Verdict refusal = count_overhead()) return refusal;
  switch (trailer_) {
    case Trailer::kLineStart:
      if (c == '\r') {
        phase_ = Phase::kLastLf;
        return nullptr;
      }
      if (++trailers_ > limits_.header_count) return &kTooManyTrailers;
      trailer_ = Trailer::kName;
      return http::is_token_char(c) ? nullptr : &kBadTrailer;
    case Trailer::kName:
      if (c == ':') trailer_ = Trailer::kValue;
      return c == ':' || http::is_token_char(c) ? nullptr : &kBadTrailer;
    case Trailer::kValue:
      if (c != '\r') return is_text(c) ? nullptr : &kBadTrailer;
      trailer_ = Trailer::kLineStart;
      phase_ = Phase::kTrailerLf;
      return nullptr;
  }
  return &kBadTrailer;
}

// Signed uploads carry an extension on every chunk: what was received allows for as much again.
H1BodyDecoder::Verdict H1BodyDecoder::count_overhead() {
  return ++overhead_ > limits_.header_bytes + received_ ? &kOverhead : nullptr;
}

}  // namespace servery::codec
