// `static`: files of a directory tree. Hot files are answered from the cache without leaving the
// call; the rest is looked up inline while the kernel has it cached, else on the pool. One per
// route; worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/content_coder.h"
#include "worker/body/content_digester.h"
#include "worker/features/static/representation.h"
#include "worker/features/static/static_answers.h"
#include "worker/features/static/static_coding.h"
#include "worker/features/static/static_lookup.h"
#include "worker/files/hot_cache.h"
#include "worker/files/relative_path.h"
#include "worker/routing/directory_answer.h"
#include "worker/routing/handler.h"

namespace servery::features {

// What all static routes of a worker share. Outlives them.
struct StaticServices {
  Loop& loop;
  BlockingPool& pool;  // destroyed (its jobs with it) before the handlers
  files::HotCache& cache;
  const Clock& clock;
  body::ContentCoder* coder = nullptr;        // null: nothing is coded while it is served
  files::HotCache* coded_files = nullptr;     // what it coded; beside a coder
  body::ContentDigester* digester = nullptr;  // null: no digests, and no tags made of them
};

struct StaticOptions {
  RepresentationMaker::Options representation;
  std::uint32_t route = 0;  // tells this route's cache entries apart
  std::vector<std::string> index;
  files::HiddenNames hidden = files::HiddenNames::kDeny;
  bool clean_urls = false;  // NAME.html for a NAME that finds nothing
  bool spa = false;         // navigations that find nothing get the root's index
  std::uint64_t max_cached_file = 0;
  bool compress = false;       // code what is asked for coded
  bool precompressed = false;  // look for sidecars
  bool digests = false;        // give those that are asked for
  // Of a directory without index, and of one whose query asks for it; null: not given.
  std::shared_ptr<routing::DirectoryAnswer> listing = nullptr;
  std::shared_ptr<routing::DirectoryAnswer> archive = nullptr;
  std::shared_ptr<routing::Fallback> fallback = nullptr;  // for what is not found; null: 404
};

class StaticHandler final : public routing::Handler {
 public:
  StaticHandler(const StaticServices& services, files::Root root, StaticOptions options);
  http::MethodSet methods() const override;
  void handle(http::Exchange& exchange, const routing::RouteMatch& match) override;

 private:
  Wish wish_of(const http::RequestHead& request, std::string_view rest) const;
  void serve(http::Exchange& exchange, const Wish& wish);
  void look_up(http::Exchange& exchange, const Wish& wish);
  void look_up_on_pool(http::Exchange& exchange, const files::RelativePath& path, const Wish& wish);
  // NAME.html in the place of a NAME that was not found.
  void find_page(StaticLookup& found, files::Access access) const;
  StaticLookup find(const files::RelativePath& path, const http::CodingPreference& codings,
                    files::Access access) const;
  // `read_at`: since when the look-up is known to hold; turn 0 where that is no turn of now.
  void answer(http::Exchange& exchange, const Wish& wish, StaticLookup lookup,
              const files::Moment& read_at);
  // True: the digest that the tag is made of is on its way, and the answer with it.
  bool await_digest(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                    const files::Moment& read_at);
  void answer_file(http::Exchange& exchange, const Wish& wish, StaticLookup lookup,
                   const files::Moment& read_at);
  void answer_missing(http::Exchange& exchange, std::string_view rest);
  // To the fallback, else 404; of an application\'s route that says that another Accept might have
  // found its page.
  void answer_not_found(http::Exchange& exchange);
  void redirect_to_directory(http::Exchange& exchange);
  bool asks_for_archive(const http::RequestHead& request, std::string_view rest) const;
  void answer_directory(http::Exchange& exchange, std::string_view rest,
                        routing::DirectoryAnswer* answer);
  files::Moment now() const { return {services_.loop.turn(), services_.loop.now()}; }

  StaticServices services_;
  files::Root root_;
  StaticOptions options_;
  RepresentationMaker maker_;
  StaticAnswers answers_;
  std::optional<StaticCoding> coding_;  // where the route codes
  http::PreparedRef not_found_;         // of an application's route, made when first needed
};

}  // namespace servery::features
