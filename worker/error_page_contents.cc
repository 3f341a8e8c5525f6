#include "worker/error_page_contents.h"

#include <memory>
#include <utility>

#include "common/base/text.h"
#include "worker/features/static/mime.h"

namespace servery {

ErrorPageContents::ErrorPageContents(std::vector<NamedFile> files) {
  for (NamedFile& file : files) {
    contents_[std::move(file.path)] = std::make_shared<const std::string>(std::move(file.text));
  }
}

http::ErrorPages ErrorPageContents::pages(const ErrorPageFiles& of_route,
                                          const ErrorPageFiles& top_level) const {
  http::ErrorPages pages;
  for (const ErrorPageFiles* configured : {&of_route, &top_level}) {
    add(pages, *configured, false);
    add(pages, *configured, true);
  }
  return pages;
}

void ErrorPageContents::add(http::ErrorPages& pages, const ErrorPageFiles& configured,
                            bool classes) const {
  for (const auto& [status, path] : configured) {
    const bool is_class = status.ends_with("xx");
    const auto content = contents_.find(path);
    if (is_class != classes || content == contents_.end()) continue;
    const int first = is_class ? (status.front() - '0') * 100
                               : static_cast<int>(parse_unsigned<unsigned>(status).value_or(0));
    pages.push_back({first, is_class ? first + 99 : first, std::string(features::mime_type(path)),
                     content->second});
  }
}

}  // namespace servery
