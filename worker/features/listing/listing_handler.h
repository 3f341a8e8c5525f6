// Answers a directory without an index by its listing (HTML, JSON, NDJSON). Built once per static
// route by worker.cc; worker thread only, with the reading and rendering on the pool.
#pragma once

#include <memory>
#include <string>

#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/place_limit.h"
#include "worker/features/listing/listing_run.h"
#include "worker/files/resource.h"
#include "worker/routing/directory_answer.h"

namespace servery::listing {

struct ListingOptions {
  bool shows_hidden = false;    // names that begin with a dot
  bool offers_archive = false;  // the route answers ?archive=
  std::string cache_control = {};
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
  void answer_whole(http::Exchange& exchange, ListingRun& run);
  void answer_streamed(http::Exchange& exchange, std::shared_ptr<ListingRun> run);
  http::ResponseFields fields_of(const ListingRun& run) const;

  Loop& loop_;
  BlockingPool& pool_;
  files::Root root_;
  ListingOptions options_;
  body::PlaceLimit streams_;
};

}  // namespace servery::listing
