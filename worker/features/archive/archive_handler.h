// Answers ?archive= on a directory: the directory as one download. Built once per static route by
// worker.cc; worker thread only, with walking and reading on the pool.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/place_limit.h"
#include "worker/features/archive/archive_plan.h"
#include "worker/features/archive/crc_cache.h"
#include "worker/files/resource.h"
#include "worker/routing/directory_answer.h"
#include "worker/routing/handler.h"

namespace servery::archive {

struct ArchiveOptions {
  bool shows_hidden = false;  // names that begin with a dot
  std::string cache_control = {};
  std::shared_ptr<routing::Fallback> fallback = nullptr;  // for a directory that is not there
  unsigned most_active = 4;  // archives planned or sent at once; the rest is answered 503
};

class ArchiveHandler final : public routing::DirectoryAnswer {
 public:
  // `pool` is destroyed (its jobs with it) before the handler.
  ArchiveHandler(Loop& loop, BlockingPool& pool, files::Root root, ArchiveOptions options);

  bool claims(const http::RequestHead& request) const override;
  void answer(http::Exchange& exchange, std::string_view path) override;

 private:
  using Place = std::shared_ptr<const void>;

  void answer_planned(http::Exchange& exchange, const std::shared_ptr<ArchivePlan>& plan,
                      const Place& place);
  std::unique_ptr<http::BodySource> source_of(ArchivePlan& plan, std::uint64_t first,
                                              std::uint64_t end, Place place);
  http::ResponseFields fields_of(const ArchivePlan& plan) const;

  Loop& loop_;
  BlockingPool& pool_;
  files::Root root_;
  ArchiveOptions options_;
  CrcCache crcs_;
  body::PlaceLimit active_;
};

}  // namespace servery::archive
