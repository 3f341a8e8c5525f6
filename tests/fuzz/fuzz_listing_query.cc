// A listing's query and Accept value ('\n' between them): whatever is accepted is written and read
// back the same, cursor included.
#include <cstdint>
#include <cstdlib>

#include "worker/features/listing/listing_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using servery::listing::Query;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t newline = input.find('\n');
  const std::string_view text = input.substr(0, newline);
  const std::string_view accept =
      newline == std::string_view::npos ? std::string_view() : input.substr(newline + 1);
  Query query;
  if (parse_query(text, accept, query)) return 0;
  if (query.limit > Query::kMaxLimit || query.filter.size() > 255) std::abort();
  const std::string written = format_query(query);
  Query again;
  if (parse_query(std::string_view(written).substr(1), accept, again)) std::abort();
  if (format_query(again) != written || again.order != query.order ||
      again.filter != query.filter || again.limit != query.limit || again.format != query.format ||
      again.cursor.has_value() != query.cursor.has_value()) {
    std::abort();
  }
  return 0;
}
