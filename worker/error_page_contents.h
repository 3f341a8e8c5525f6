// The files of `error_pages`, as header policies take them. Used while a worker is built; the
// content lives as long as the policies.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/named_files.h"
#include "config/settings.h"
#include "worker/http/error_pages.h"

namespace servery {

class ErrorPageContents {
 public:
  explicit ErrorPageContents(std::vector<NamedFile> files);
  // Those of a route before those of the top level; in each, a status before its class. A file that
  // is not there is left out: the check child has seen to it that each is.
  http::ErrorPages pages(const ErrorPageFiles& of_route, const ErrorPageFiles& top_level) const;

 private:
  void add(http::ErrorPages& pages, const ErrorPageFiles& configured, bool classes) const;

  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> contents_;  // by path
};

}  // namespace servery
