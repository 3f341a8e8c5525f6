// An archive's query: no accepted entry may lead anywhere but to a child, and the download's name
// never leaves its quotes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "worker/features/archive/archive_query.h"
#include "worker/http/disposition.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace archive = servery::archive;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  archive::Query query;
  if (!archive::parse_query(text, query)) {
    for (const std::string& name : query.entries) {
      if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
          name.find('\0') != std::string::npos) {
        std::abort();
      }
    }
  }
  const std::string value = servery::http::attachment(text);
  if (std::count(value.begin(), value.end(), '"') != 2) std::abort();
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) std::abort();
  }
  return 0;
}
