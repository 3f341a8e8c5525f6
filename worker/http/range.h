// Byte ranges of a known length (RFC 9110 14.1.2, 14.2). Pure values.
#pragma once

#include <cstdint>
#include <string_view>

namespace servery::http {

struct RangeChoice {
  enum class Kind : std::uint8_t {
    kWhole,          // no usable range: 200
    kPart,           // 206 with first..last
    kUnsatisfiable,  // 416
  };
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  std::uint64_t length() const { return last - first + 1; }
};

// Chooses from the value of a Range field. A set of several ranges, another unit, a malformed value
// and any range of an empty representation are ignored, as RFC 9110 14.2 allows or demands.
RangeChoice choose_range(std::string_view value, std::uint64_t size);

}  // namespace servery::http
