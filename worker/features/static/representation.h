// From what a look-up found to what is said of it: type, cache rule, entity tag, and the 200 and
// 304 that can be kept. One per route; worker thread only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "worker/features/static/mime.h"
#include "worker/features/static/static_lookup.h"
#include "worker/features/static/static_plan.h"
#include "worker/files/hot_cache.h"
#include "worker/http/cache_rules.h"
#include "worker/http/exchange.h"
#include "worker/http/media_ranges.h"
#include "worker/http/negotiate.h"

namespace servery::features {

// What one request wants: the path in the route, and the codings its answer may have.
struct Wish {
  // What stands for the path where an application's page answers: the root, by a name that no
  // request's normal path has, so that the caches tell it from the page of "/".
  static constexpr std::string_view kApplication = "//";

  std::string_view rest;
  http::CodingPreference codings;

  // Another Accept would have found nothing here.
  bool chosen_by_accept() const { return rest == kApplication; }
  files::HotCache::Key cache_key(std::uint32_t route) const {
    return {route, codings.signature(), rest};
  }
};

// Tells the bytes of a representation from all others while its file is settled; else from all that
// were seen before, since a write may have hidden since the last look.
std::string bytes_key(const files::FileIdentity& identity, http::Coding coding, bool settled);

class RepresentationMaker {
 public:
  struct Options {
    std::string cache_control;
    std::vector<std::pair<std::string, std::string>> cache_rules;  // see http::CacheRules
    MimeTypes::Types mime_types;                                   // before the server's own table
    std::vector<std::string> attachments;                          // see http::MediaRanges
    EtagKind etag = EtagKind::kInode;
    bool has_variants = false;  // types that may be coded vary by Accept-Encoding
  };

  RepresentationMaker(const Clock& clock, const Options& options);

  std::string_view type_of(std::string_view path) const { return mime_types_.type_of(path); }
  // All but the answers themselves. `coding`: that of the sidecar, or with `mark`, what is to be
  // made of the file. `chosen_by_accept`: see FileFacts.
  files::CachedFile describe(const StaticLookup& lookup, http::Coding coding, std::string_view mark,
                             bool chosen_by_accept) const;
  // Makes the answers, with the exchange's header policy.
  void prepare(const http::Exchange& exchange, files::CachedFile& file, bool settled,
               std::string content) const;
  // Views into `file`. The size is that of the file, also where its coded bytes are given.
  static FileFacts facts_of(const files::CachedFile& file, bool settled);
  std::int64_t unix_now() const { return unix_seconds(clock_.wall()); }

 private:
  const Clock& clock_;
  EtagKind etag_;
  bool has_variants_;
  http::CacheRules cache_rules_;
  MimeTypes mime_types_;
  http::MediaRanges attachments_;
};

}  // namespace servery::features
