// Range values. First eight bytes: the length of the representation. A part lies inside it.
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
  const bool is_inside = choice.first <= choice.last && choice.last < length;
  if (choice.kind == Kind::kPart && !is_inside) std::abort();
  if (choice.kind != Kind::kWhole && length == 0) std::abort();
  return 0;
}
