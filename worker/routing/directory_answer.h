// What a static route answers for a directory: a listing, an archive. Declared here so that the
// features that give one and the feature that needs one do not know each other; wired in
// worker/worker.cc. Built once per route, shared by its connections; worker thread only.
#pragma once

#include <string_view>

#include "worker/http/exchange.h"

namespace servery::routing {

class DirectoryAnswer {
 public:
  virtual ~DirectoryAnswer() = default;
  // Whether the request's query asks for this answer, before any index file (or cached answer) is
  // looked for. Cheap: called for each request for a path that ends with '/' and has a query.
  virtual bool claims(const http::RequestHead& request) const = 0;
  // Answers GET or HEAD now or later, errors included. `path` is what files::RelativePath holds for
  // the directory: below the route's root, decoded, checked, empty or ending with '/'. A loan for
  // the call.
  virtual void answer(http::Exchange& exchange, std::string_view path) = 0;
};

}  // namespace servery::routing
