// Content codings: what a client takes (Accept-Encoding, RFC 9110 12.5.3), which types are worth
// coding, and what a coded representation owes caches (8.4, 8.8.3.3, 12.5.5). Pure values; any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "worker/http/fields.h"

namespace servery::http {

// In the server's order of preference.
enum class Coding : std::uint8_t { kIdentity, kZstd, kBr, kGzip };
inline constexpr std::size_t kCodingCount = 4;

// The token of Content-Encoding; empty for identity, which is never named there.
std::string_view coding_token(Coding coding);

// The codings a client takes at least as gladly as plain bytes, best first: by its weights, among
// equals zstd, br, gzip. Plain bytes are never in it: they are given where nothing else can be,
// even to a client that refuses them (RFC 9110 12.4.1 leaves 406 or this; a page helps more).
class CodingPreference {
 public:
  // Behind all that `before` puts before it, and behind its equals.
  template <typename Before>
  void add(Coding coding, Before before) {
    std::size_t at = size_++;
    for (; at > 0 && before(coding, list_[at - 1]); --at) list_[at] = list_[at - 1];
    list_[at] = coding;
  }
  bool empty() const { return size_ == 0; }
  const Coding* begin() const { return list_.data(); }
  const Coding* end() const { return list_.data() + size_; }
  // Tells one preference from another (cache keys): two bits a coding. 0: none.
  std::uint8_t signature() const;

 private:
  std::array<Coding, kCodingCount - 1> list_{};
  std::uint8_t size_ = 0;
};

// No field, or an empty one: plain bytes only. A member that breaks the syntax refuses the coding
// it names. x-gzip is gzip (RFC 9110 8.4.1.3).
CodingPreference preferred_codings(const RequestFields& fields);

// Whether a representation of that Content-Type may have coded variants: text and what is like it.
// All answers of such a type vary by Accept-Encoding, whatever they hold.
bool may_be_coded(std::string_view content_type);

// The tag of a variant: `mark` before the closing quote, so that no two variants share one.
std::string coded_etag(std::string_view etag, std::string_view mark);

// Adds a name to Vary, once (RFC 9110 12.5.5).
void vary_on(ResponseFields& fields, std::string_view name);

}  // namespace servery::http
