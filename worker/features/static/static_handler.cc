#include "worker/features/static/static_handler.h"

#include <memory>
#include <utility>

#include "worker/body/file_source.h"
#include "worker/body/memory_source.h"
#include "worker/features/static/mime.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"

namespace servery::features {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr http::Refusal kNotFound{404, "not_found"};

FileFacts facts_of(const files::FileIdentity& file, bool settled, std::string_view path) {
  return {.size = file.size,
          .inode = file.inode,
          .mtime_s = file.mtime_ns / kNanoseconds,
          .mtime_ns = static_cast<std::uint32_t>(file.mtime_ns % kNanoseconds),
          .ctime_s = file.ctime_ns / kNanoseconds,
          .ctime_ns = static_cast<std::uint32_t>(file.ctime_ns % kNanoseconds),
          .settled = settled,
          .content_type = mime_type(path)};
}

// A look-up on the pool; destroying it forgets the outcome.
class LookupTask final : public http::ExchangeTask {
 public:
  explicit LookupTask(BlockingPool::Job job) : job_(std::move(job)) {}

 private:
  BlockingPool::Job job_;
};

}  // namespace

StaticHandler::StaticHandler(const StaticServices& services, files::Root root,
                             StaticOptions options)
    : services_(services),
      root_(std::move(root)),
      options_(std::move(options)),
      cache_rules_(options_.cache_control, options_.cache_rules) {}

http::MethodSet StaticHandler::methods() const {
  http::MethodSet set;
  set.add(http::Method::kGet);
  set.add(http::Method::kHead);
  return set;
}

std::int64_t StaticHandler::unix_now() const { return unix_seconds(services_.clock.wall()); }

void StaticHandler::handle(http::Exchange& exchange, const routing::RouteMatch& match) {
  if (asks_for_archive(exchange.request(), match.rest)) {
    answer_directory(exchange, match.rest, options_.archive.get());
    return;
  }
  const files::Moment moment{services_.loop.turn(), services_.loop.now()};
  const files::HotCache::Key key{options_.route, 0, match.rest};
  if (const files::CachedFile* file = services_.cache.find(key, root_, moment)) {
    answer_small(exchange, *file, true);
    return;
  }
  look_up(exchange, match.rest);
}

void StaticHandler::look_up(http::Exchange& exchange, std::string_view rest) {
  const http::RequestHead& request = exchange.request();
  files::RelativePath path;
  // An encoded slash is no separator, and no file name can hold it.
  if (request.encoded_slash || !path.assign(rest, options_.hidden)) {
    exchange.respond_error(kNotFound);
    return;
  }
  if (rest.empty() && !request.path.ends_with('/')) {  // the route itself: relative links need it
    redirect_to_directory(exchange);
    return;
  }
  StaticLookup lookup =
      look_up_static(root_, path, options_.index, options_.max_cached_file, files::Access::kInline);
  if (lookup.kind == StaticLookup::Kind::kWouldBlock) {
    look_up_on_pool(exchange, path, rest);
  } else {
    answer(exchange, rest, std::move(lookup), {services_.loop.turn(), services_.loop.now()});
  }
}

void StaticHandler::look_up_on_pool(http::Exchange& exchange, const files::RelativePath& path,
                                    std::string_view rest) {
  struct Shared {
    files::RelativePath path;
    std::string rest;
    StaticLookup lookup;
  };
  auto shared = std::make_shared<Shared>();
  shared->path = path;
  shared->rest = rest;
  // The file is read later than this, but in an earlier turn than the answer: no proof for a turn.
  const files::Moment read_at{0, services_.loop.now()};
  auto job = services_.pool.run(
      Lane::kPath,
      [this, shared] {
        shared->lookup = look_up_static(root_, shared->path, options_.index,
                                        options_.max_cached_file, files::Access::kBlocking);
      },
      [this, &exchange, shared, read_at] {
        answer(exchange, shared->rest, std::move(shared->lookup), read_at);
      });
  if (!job) {
    exchange.respond_error(http::refusal_for(job.error().code));
    return;
  }
  exchange.set_task(std::make_unique<LookupTask>(std::move(*job)));
}

void StaticHandler::answer(http::Exchange& exchange, std::string_view rest, StaticLookup lookup,
                           const files::Moment& read_at) {
  switch (lookup.kind) {
    case StaticLookup::Kind::kMissing:
      answer_directory(exchange, rest, options_.listing.get());
      return;
    case StaticLookup::Kind::kDirectory:
      redirect_to_directory(exchange);
      return;
    case StaticLookup::Kind::kFailed:
    case StaticLookup::Kind::kWouldBlock:
      exchange.respond_error(http::refusal_for(lookup.error));
      return;
    case StaticLookup::Kind::kFile:
      break;
  }
  if (!lookup.has_content) {
    answer_large(exchange, std::move(lookup));
    return;
  }
  const bool settled = lookup.settled;
  const files::CachedFile file = make_cached(exchange, std::move(lookup));
  if (settled) {
    const files::HotCache::Key key{options_.route, 0, rest};
    services_.cache.keep(key, file, read_at);
  }
  answer_small(exchange, file, settled);
}

files::CachedFile StaticHandler::make_cached(const http::Exchange& exchange,
                                             StaticLookup lookup) const {
  const FileFacts facts = facts_of(lookup.identity, lookup.settled, lookup.opened);
  files::CachedFile file;
  file.identity = lookup.identity;
  file.etag = make_etag(facts);
  const http::Validators validators = static_validators(facts, file.etag, unix_now());
  http::ResponseFields fields =
      static_fields(facts, validators, cache_rules_.value_for(lookup.opened));
  file.not_modified =
      http::make_prepared({304, http::not_modified_fields(fields)}, {}, exchange.header_policy());
  file.ok = http::make_prepared({200, std::move(fields)}, std::move(lookup.content),
                                exchange.header_policy());
  file.opened = std::move(lookup.opened);
  file.missing = std::move(lookup.missing);
  return file;
}

void StaticHandler::answer_small(http::Exchange& exchange, const files::CachedFile& file,
                                 bool settled) {
  const std::int64_t now = unix_now();
  const FileFacts facts = facts_of(file.identity, settled, {});
  const http::Validators validators = static_validators(facts, file.etag, now);
  const StaticDecision decision =
      decide_static(exchange.request(), validators, file.identity.size, now);
  if (decision.status == 200) {
    exchange.respond(file.ok);
  } else if (decision.status == 304) {
    exchange.respond(file.not_modified);
  } else {
    answer_decided(exchange, decision, facts_of(file.identity, settled, file.opened), validators,
                   file.opened, [ok = file.ok](const http::ByteRange& part) {
                     const auto bytes =
                         std::string_view(ok->body).substr(static_cast<std::size_t>(part.first),
                                                           static_cast<std::size_t>(part.length()));
                     return std::make_unique<body::MemorySource>(ok, bytes);
                   });
  }
}

void StaticHandler::answer_large(http::Exchange& exchange, StaticLookup lookup) {
  const std::int64_t now = unix_now();
  const FileFacts facts = facts_of(lookup.identity, lookup.settled, lookup.opened);
  const std::string etag = make_etag(facts);
  const http::Validators validators = static_validators(facts, etag, now);
  const StaticDecision decision = decide_static(exchange.request(), validators, facts.size, now);
  answer_decided(
      exchange, decision, facts, validators, lookup.opened,
      [&loop = services_.loop, &pool = services_.pool,
       fd = std::make_shared<const UniqueFd>(std::move(lookup.fd))](const http::ByteRange& part) {
        return std::make_unique<body::FileSource>(loop, pool, fd, part.first, part.length());
      });
}

void StaticHandler::answer_decided(http::Exchange& exchange, const StaticDecision& decision,
                                   const FileFacts& facts, const http::Validators& validators,
                                   std::string_view path, body::RangeOpener open) {
  if (decision.status == 412) {
    exchange.respond_error(http::kPreconditionFailed);
    return;
  }
  http::ResponseFields fields = static_fields(facts, validators, cache_rules_.value_for(path));
  if (decision.status == 304) {
    exchange.respond({304, http::not_modified_fields(fields)}, nullptr);
    return;
  }
  body::answer_range(exchange, decision.range, std::move(fields), facts.size, std::move(open));
}

bool StaticHandler::asks_for_archive(const http::RequestHead& request,
                                     std::string_view rest) const {
  return request.has_query && options_.archive != nullptr && request.path.ends_with('/') &&
         (rest.empty() || rest.ends_with('/')) && options_.archive->claims(request);
}

// 404 where there is nothing to give, or no directory to give it of.
void StaticHandler::answer_directory(http::Exchange& exchange, std::string_view rest,
                                     routing::DirectoryAnswer* answer) {
  files::RelativePath path;
  if (answer == nullptr || exchange.request().encoded_slash ||
      !path.assign(rest, options_.hidden) || !path.names_directory()) {
    exchange.respond_error(kNotFound);
    return;
  }
  answer->answer(exchange, path.view());
}

void StaticHandler::redirect_to_directory(http::Exchange& exchange) {
  http::ResponseHead head{308, {}};
  head.fields.add(http::FieldId::kLocation, directory_location(exchange.request()));
  exchange.respond(std::move(head), nullptr);
}

}  // namespace servery::features
