// Sends a representation that is at hand: what the request's preconditions and Range field choose
// of it, from memory or from an open file. One per route; worker thread only.
#pragma once

#include <string_view>

#include "common/base/unique_fd.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/content_digester.h"
#include "worker/features/static/digest_run.h"
#include "worker/features/static/representation.h"
#include "worker/files/hot_cache.h"
#include "worker/http/exchange.h"

namespace servery::features {

class StaticAnswers {
 public:
  // `digester` null: no digests are given.
  StaticAnswers(Loop& loop, BlockingPool& pool, const RepresentationMaker& maker,
                body::ContentDigester* digester)
      : loop_(loop), pool_(pool), maker_(maker), digester_(digester) {}

  // One with its answers made.
  void answer_kept(http::Exchange& exchange, const files::CachedFile& file, bool settled) const;
  // One whose bytes are in `fd`.
  void answer_file(http::Exchange& exchange, const files::CachedFile& file, bool settled,
                   UniqueFd fd) const;
  // The fields of a 200 that this request alone asks for: ?download[=NAME].
  static void add_download(const http::RequestHead& request, std::string_view name,
                           http::ResponseFields& fields);

 private:
  bool gives_digest(const http::RequestHead& request) const {
    return digester_ != nullptr && wants_digest(request);
  }
  // Whether a 200 is not the one that was made for all.
  bool wants_own_answer(const http::RequestHead& request) const;
  void answer(http::Exchange& exchange, const StaticDecision& decision,
              const files::CachedFile& file, bool settled, std::uint64_t size,
              RepresentationBytes bytes) const;

  Loop& loop_;
  BlockingPool& pool_;
  const RepresentationMaker& maker_;
  body::ContentDigester* digester_;
};

}  // namespace servery::features
