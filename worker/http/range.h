// Byte ranges of a known length (RFC 9110 14.1.2, 14.2, 15.3.7). Pure values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/http/conditional.h"
#include "worker/http/message.h"

namespace servery::http {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  std::uint64_t length() const { return last - first + 1; }

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

struct RangeChoice {
  enum class Kind : std::uint8_t {
    kWhole,          // no usable range: 200
    kParts,          // 206 with `parts`, at least one
    kUnsatisfiable,  // 416
  };
  Kind kind = Kind::kWhole;
  // Inside the representation, apart from each other, in the order they were asked for (RFC 9110
  // 15.3.7.2); one that was joined with others stands where the first of them stood.
  std::vector<ByteRange> parts = {};
};

// More range-specs in one field than this are not meant honestly (RFC 9110 17.15). zsync asks for
// 20, PDF readers for some dozens.
inline constexpr std::size_t kMostRanges = 64;

// Chooses from the value of a Range field. Another unit, a malformed value, more than kMostRanges
// and any range of an empty representation are ignored, as RFC 9110 14.2 allows or demands.
RangeChoice choose_range(std::string_view value, std::uint64_t size);

// The choice for a request: its Range field, if it has one that counts: of a GET, once, and with an
// If-Range that holds. `now`: Unix seconds.
RangeChoice requested_range(const RequestHead& request, const Validators& validators,
                            std::uint64_t size, std::int64_t now);

// Values of Content-Range (RFC 9110 14.4), for a part and for 416.
std::string content_range(const ByteRange& part, std::uint64_t size);
std::string unsatisfied_range(std::uint64_t size);

}  // namespace servery::http
