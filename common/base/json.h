// nlohmann-json behind one header. Used for status, verdicts and plans; never on the request path.
// Parse only with parse_json: it does not throw and bounds the input.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/result.h"

namespace servery {

// Keeps the order in which members were written.
using Json = nlohmann::ordered_json;

inline Result<Json> parse_json(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) return fail(Errc::kTooLarge, "JSON text too long");
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return fail(Errc::kInvalid, "not JSON");
  return value;
}

// One line; bytes that are not UTF-8 become U+FFFD, so that any path can be shown.
inline std::string dump_json(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::detail::error_handler_t::replace);
}

}  // namespace servery
