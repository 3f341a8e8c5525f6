// Accept-Encoding values. No coding twice, none that the signature does not know, and what plain
// bytes are preferred to is not there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "worker/http/negotiate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using servery::http::Coding;
  using servery::http::FieldId;
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  servery::http::RequestFields fields;
  fields.add({FieldId::kAcceptEncoding, "accept-encoding", value});
  const auto preference = servery::http::preferred_codings(fields);
  unsigned seen = 0;
  for (const Coding coding : preference) {
    const unsigned bit = 1U << static_cast<unsigned>(coding);
    if (coding == Coding::kIdentity || (seen & bit) != 0) std::abort();
    seen |= bit;
  }
  if (preference.empty() != (preference.signature() == 0)) std::abort();
  // Each name of a coding has one of these letters.
  const bool is_named = value.find_first_of("*zZrR") != std::string_view::npos;
  if (!preference.empty() && !is_named) std::abort();
  return 0;
}
