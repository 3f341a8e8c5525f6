#include "worker/http/media_ranges.h"

#include <algorithm>

#include "common/base/text.h"

namespace servery::http {

bool MediaRanges::match(std::string_view content_type) const {
  if (ranges_.empty()) return false;
  const std::string_view type = trim_ows(content_type.substr(0, content_type.find(';')));
  return std::any_of(ranges_.begin(), ranges_.end(), [type](const std::string& range) {
    if (range == "*/*") return true;
    if (!range.ends_with("/*")) return equals_ignore_case(range, type);
    return starts_with_ignore_case(type, std::string_view(range).substr(0, range.size() - 1));
  });
}

}  // namespace servery::http
