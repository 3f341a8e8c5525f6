#include "worker/http/query.h"

#include <algorithm>

#include "common/base/text.h"

namespace servery::http {

bool QueryCursor::next(std::string_view& key, std::string_view& value) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('&'), rest_.size());
  const std::string_view pair = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  const std::size_t equals = std::min(pair.find('='), pair.size());
  key = pair.substr(0, equals);
  value = pair.substr(std::min(equals + 1, pair.size()));
  return true;
}

std::optional<std::string> decode_query_value(std::string_view value) {
  std::string spaced(value);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return percent_decode(spaced);
}

}  // namespace servery::http
