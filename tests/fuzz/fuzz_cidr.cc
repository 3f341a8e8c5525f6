// CIDR entries. What is taken writes itself in a form that is taken again and means the same, and a
// set of it holds its first and last address and not their neighbours' prefix.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/cidr.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cidr = servery::parse_cidr(text);
  if (!cidr) return 0;
  if (cidr->length > cidr->address.bits()) std::abort();
  const std::string written = cidr->text();
  const auto again = servery::parse_cidr(written);
  if (!again || again->has_host_bits() || again->length != cidr->length) std::abort();
  if (again->text() != written) std::abort();
  const auto set = servery::AddressSet::parse(std::vector<std::string>{std::string(text)});
  if (!set || !set->contains(cidr->address)) std::abort();
  if (!set->contains(cidr->address.first_in(cidr->length))) std::abort();
  if (!set->contains(cidr->address.last_in(cidr->length))) std::abort();
  if (!set->contains(std::string_view(cidr->address.text()))) std::abort();
  if (set->contains(std::string_view())) std::abort();
  return 0;
}
