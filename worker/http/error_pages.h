// Configured bodies of error answers (`error_pages`): part of a header policy, looked at while an
// answer is prepared, never per request. Content is shared by every answer that is made of it.
// Immutable; worker thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace servery::http {

struct ErrorPage {
  int first_status = 0;  // of the range it is for
  int last_status = 0;
  std::string content_type;
  std::shared_ptr<const std::string> content;
};

// In order: the first whose range holds the status is its page.
using ErrorPages = std::vector<ErrorPage>;

}  // namespace servery::http
