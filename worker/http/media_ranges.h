// A configured list of media types: "application/pdf", "video/*", "*/*". Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace servery::http {

class MediaRanges {
 public:
  explicit MediaRanges(std::vector<std::string> ranges) : ranges_(std::move(ranges)) {}
  // Whether one of them holds for a Content-Type, whose parameters do not count.
  bool match(std::string_view content_type) const;

 private:
  std::vector<std::string> ranges_;
};

}  // namespace servery::http
