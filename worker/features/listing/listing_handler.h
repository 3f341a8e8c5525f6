// Answers a directory without an index by its listing (HTML, JSON, NDJSON). Built once per static
// route by worker.cc; worker thread only, with the reading and rendering on the pool.
#pragma once

#include <memory>
#include <string>

#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/content_coder.h"
#include "worker/body/place_limit.h"
#include "worker/features/listing/listing_run.h"
#include "worker/files/resource.h"
#include "worker/routing/directory_answer.h"
#include "worker/routing/handler.h"

namespace servery::listing {

struct ListingOptions {
  bool shows_hidden = false;    // names that begin with a dot
  bool offers_archive = false;  // the route answers ?archive=
  bool shows_readme = false;
  std::string cache_control = {};
  std::shared_ptr<routing::Fallback> fallback = nullptr;  // for a directory that is not there
  std::uint32_t route = 0;              // tells this route's listings apart while they are coded
  body::ContentCoder* coder = nullptr;  // null: nothing is coded; destroyed before the handler
};

class ListingHandler final : public routing::DirectoryAnswer {
 public:
  // `pool` is destroyed (its jobs with it) before the handler.
  ListingHandler(Loop& loop, BlockingPool& pool, files::Root root, ListingOptions options);

  bool claims(const http::RequestHead&) const override { return false; }
  void answer(http::Exchange& exchange, std::string_view path) override;

 private:
  void answer_begun(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run,
                    ListingRun::Step step);
  void answer_whole(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run);
  void answer_streamed(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run);
  // Identity where the route codes nothing or the client wants nothing coded.
  http::Coding coding_for(const http::RequestHead& request) const;
  http::ResponseFields fields_of(const ListingRun& run, http::Coding coding) const;
  // False: no room; nothing has been answered then.
  bool code_whole(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run,
                  http::Coding coding, http::ResponseFields fields);

  Loop& loop_;
  BlockingPool& pool_;
  files::Root root_;
  ListingOptions options_;
  body::PlaceLimit streams_;
};

}  // namespace servery::listing
