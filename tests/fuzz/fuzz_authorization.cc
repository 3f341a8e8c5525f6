// Authorization values of the Basic scheme. What is taken is bounded, has a user, and is the same
// bytes when it is coded again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "worker/access/basic_credentials.h"

namespace {

std::string encode(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view part = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < part.size() ? static_cast<unsigned char>(part[j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= part.size() ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  const auto found = servery::access::parse_basic(value);
  if (!found) return 0;
  if (!servery::access::is_basic(value)) std::abort();
  if (found->user().empty() || found->user().find(':') != std::string_view::npos) std::abort();
  if (found->text.size() > 1024) std::abort();
  if (value.find(encode(found->text)) == std::string_view::npos) std::abort();
  return 0;
}
