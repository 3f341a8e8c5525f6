// From the settings to the objects that answer requests: routes with their handlers, policies and
// limits. The only place that names every feature. Used once, while a worker is built.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "config/named_files.h"
#include "config/settings.h"
#include "worker/access/verifier.h"
#include "worker/error_page_contents.h"
#include "worker/features/static/static_handler.h"
#include "worker/routing/pipeline.h"

namespace servery {

// `roots`: an O_PATH descriptor for each absolute root path; each is opened for reading once, as a
// proof.
struct BuiltRoutes {
  routing::PipelineParts parts;
  files::Root::Offers offers{true, true};  // what every root has
};
// What the files that the settings name came to.
struct FileParts {
  const std::vector<NamedFile>& passwords;
  const ErrorPageContents& error_pages;
  access::Verifier* verifier = nullptr;  // outlives the routes; null without an entry of `auth`
};
Result<BuiltRoutes> build_routes(const Settings& settings,
                                 const std::map<std::string, UniqueFd>& roots,
                                 const FileParts& files, const features::StaticServices& services);

// The fields of answers without a route: the server's own, then the configured ones.
http::HeaderPolicy server_headers(const Settings& settings, const ErrorPageContents& pages);
// Of a route's answers: what the route configures replaces or removes what stands before it.
http::HeaderPolicy route_headers(const Settings& settings, const RouteSettings& route,
                                 const ErrorPageContents& pages);

}  // namespace servery
