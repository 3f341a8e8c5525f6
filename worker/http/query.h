// The query of a target as a form's pairs (application/x-www-form-urlencoded). Pure; hostile input.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace servery::http {

// Walks the "key=value" pairs of a query. Keys and values are as sent.
class QueryCursor {
 public:
  explicit QueryCursor(std::string_view query) : rest_(query) {}
  // The next pair; a key without '=' has an empty value. False at the end.
  bool next(std::string_view& key, std::string_view& value);

 private:
  std::string_view rest_;
};

// '+' is a space, %XX a byte. nullopt: broken %XX.
std::optional<std::string> decode_query_value(std::string_view value);

}  // namespace servery::http
