// Range values. First eight bytes: the length of the representation. Parts lie inside it and apart
// from each other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "worker/http/range.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Kind = servery::http::RangeChoice::Kind;
  std::uint64_t length = 0;
  if (size < sizeof length) return 0;
  std::memcpy(&length, data, sizeof length);
  const std::string_view value(reinterpret_cast<const char*>(data) + sizeof length,
                               size - sizeof length);
  const auto choice = servery::http::choose_range(value, length);
  if ((choice.kind == Kind::kParts) == choice.parts.empty()) std::abort();
  if (choice.parts.size() > servery::http::kMostRanges) std::abort();
  for (const auto& part : choice.parts) {
    if (part.first > part.last || part.last >= length) std::abort();
    for (const auto& other : choice.parts) {
      const bool is_apart = part.first > other.last || other.first > part.last;
      if (&other != &part && !is_apart) std::abort();
    }
  }
  if (choice.kind != Kind::kWhole && length == 0) std::abort();
  return 0;
}
