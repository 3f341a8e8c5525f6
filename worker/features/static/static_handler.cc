#include "worker/features/static/static_handler.h"

#include <memory>
#include <utility>

#include "worker/body/file_source.h"
#include "worker/body/memory_source.h"
#include "worker/body/producers.h"
#include "worker/features/static/sidecar.h"
#include "worker/files/content.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"

namespace servery::features {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr http::Refusal kNotFound{404, "not_found"};
constexpr http::Refusal kSaturated{503, "compression_saturated"};

// What stands for the path where an application's page answers: the root, by a name that no
// request's normal path has, so that the caches tell it from the page of "/".
constexpr std::string_view kApplication = "//";

void append_bytes(std::string& key, const auto& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// What tells one coding of a file from another, to be waited for together.
std::string flight_key(const files::CachedFile& file, std::uint32_t route, bool settled) {
  static thread_local std::uint64_t unsettled = 0;
  std::string key;
  append_bytes(key, route);
  append_bytes(key, file.coding);
  append_bytes(key, file.identity);
  // A write may have hidden since the last look: nobody waits for what another one saw.
  const std::uint64_t apart = settled ? 0 : ++unsettled;
  append_bytes(key, apart);
  return key + file.opened;
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
      cache_rules_(options_.cache_control, options_.cache_rules),
      mime_types_(options_.mime_types) {}

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
  serve(exchange, wish_of(exchange.request(), match.rest));
}

void StaticHandler::serve(http::Exchange& exchange, const Wish& wish) {
  if (const files::CachedFile* file = find_cached(wish)) {
    answer_small(exchange, *file, true);
    return;
  }
  look_up(exchange, wish);
}

// No coding where the route offers none, or the name is that of a type without variants.
StaticHandler::Wish StaticHandler::wish_of(const http::RequestHead& request,
                                           std::string_view rest) const {
  Wish wish{rest, {}};
  if (!options_.compress && !options_.precompressed) return wish;
  if (!request.fields.has(http::FieldId::kAcceptEncoding)) return wish;
  const std::string_view type = mime_types_.type_of(rest);
  const bool tells = !rest.empty() && !rest.ends_with('/') && type != mime_types_.type_of({});
  if (!tells || http::may_be_coded(type)) wish.codings = http::preferred_codings(request.fields);
  return wish;
}

const files::CachedFile* StaticHandler::find_cached(const Wish& wish) {
  const files::Moment moment{services_.loop.turn(), services_.loop.now()};
  const files::HotCache::Key key{options_.route, wish.codings.signature(), wish.rest};
  if (options_.compress && !wish.codings.empty()) {
    const files::CachedFile* const coded = services_.coded_files->find(key, root_, moment);
    if (coded != nullptr) return coded;
  }
  return services_.cache.find(key, root_, moment);
}

void StaticHandler::look_up(http::Exchange& exchange, const Wish& wish) {
  const std::string_view rest = wish.rest;
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
  StaticLookup lookup = find(path, wish.codings, files::Access::kInline);
  if (lookup.kind == StaticLookup::Kind::kWouldBlock) {
    look_up_on_pool(exchange, path, wish);
  } else {
    answer(exchange, wish, std::move(lookup), {services_.loop.turn(), services_.loop.now()});
  }
}

void StaticHandler::find_page(StaticLookup& found, files::Access access) const {
  files::RelativePath page;
  if (!page.assign(found.opened + ".html", options_.hidden)) return;
  StaticLookup other;
  look_up_name(other, root_, page, options_.max_cached_file, access);
  if (other.kind == StaticLookup::Kind::kMissing || other.kind == StaticLookup::Kind::kDirectory) {
    return;
  }
  other.missing.push_back(std::move(found.opened));
  found = std::move(other);
}

StaticLookup StaticHandler::find(const files::RelativePath& path,
                                 const http::CodingPreference& codings,
                                 files::Access access) const {
  StaticLookup found =
      look_up_static(root_, path, options_.index, options_.max_cached_file, access);
  if (options_.clean_urls && found.kind == StaticLookup::Kind::kMissing &&
      !path.names_directory()) {
    find_page(found, access);
  }
  if (options_.precompressed && !codings.empty() && found.kind == StaticLookup::Kind::kFile &&
      http::may_be_coded(mime_types_.type_of(found.opened))) {
    choose_sidecar(found, root_, codings, options_.max_cached_file, access);
  }
  return found;
}

void StaticHandler::look_up_on_pool(http::Exchange& exchange, const files::RelativePath& path,
                                    const Wish& wish) {
  struct Shared {
    files::RelativePath path;
    std::string rest;
    http::CodingPreference codings;
    StaticLookup lookup;
  };
  auto shared = std::make_shared<Shared>();
  shared->path = path;
  shared->rest = wish.rest;
  shared->codings = wish.codings;
  // The file is read later than this, but in an earlier turn than the answer: no proof for a turn.
  const files::Moment read_at{0, services_.loop.now()};
  auto job = services_.pool.run(
      Lane::kPath,
      [this, shared] {
        shared->lookup = find(shared->path, shared->codings, files::Access::kBlocking);
      },
      [this, &exchange, shared, read_at] {
        answer(exchange, {shared->rest, shared->codings}, std::move(shared->lookup), read_at);
      });
  if (!job) {
    exchange.respond_error(http::refusal_for(job.error().code));
    return;
  }
  exchange.set_task(std::make_unique<LookupTask>(std::move(*job)));
}

void StaticHandler::answer(http::Exchange& exchange, const Wish& wish, StaticLookup lookup,
                           const files::Moment& read_at) {
  switch (lookup.kind) {
    case StaticLookup::Kind::kMissing:
      answer_missing(exchange, wish.rest);
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
  if (answer_coded(exchange, wish, lookup, read_at)) return;
  if (!lookup.has_content) {
    answer_large(exchange, wish, std::move(lookup));
    return;
  }
  const bool settled = lookup.settled;
  const bool may_keep = settled && lookup.may_keep;
  files::CachedFile file = describe(wish, lookup, lookup.coding);
  prepare(exchange, file, settled, std::move(lookup.content));
  if (may_keep) {
    const files::HotCache::Key key{options_.route, wish.codings.signature(), wish.rest};
    services_.cache.keep(key, file, read_at);
  }
  answer_small(exchange, file, settled);
}

void StaticHandler::answer_missing(http::Exchange& exchange, std::string_view rest) {
  if (rest == kApplication) {
    exchange.respond_error(kNotFound);
  } else if (options_.spa && is_navigation(exchange.request())) {
    serve(exchange, wish_of(exchange.request(), kApplication));
  } else {
    answer_directory(exchange, rest, options_.listing.get());
  }
}

bool StaticHandler::answer_coded(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                                 const files::Moment& read_at) {
  if (!options_.compress || wish.codings.empty() || lookup.coding != http::Coding::kIdentity) {
    return false;
  }
  const body::ContentCoder::Options& limits = services_.coder->options();
  const std::uint64_t size = lookup.identity.size;
  if (size < limits.min_size || !http::may_be_coded(mime_types_.type_of(lookup.opened)))
    return false;
  const bool is_whole = size <= limits.max_input;
  // The offsets of what is not held are known of the plain bytes only.
  if (!is_whole && exchange.request().fields.has(http::FieldId::kRange)) return false;
  const http::Coding coding = *wish.codings.begin();
  const files::CachedFile file = describe(wish, lookup, coding);
  const files::HotCache::Key key{options_.route, wish.codings.signature(), wish.rest};
  if (lookup.settled && is_whole) {
    if (const auto* made = services_.coded_files->confirm(key, file, read_at)) {
      answer_small(exchange, *made, true);
      return true;
    }
  }
  const std::int64_t now = unix_now();
  const FileFacts facts = facts_of(file, lookup.settled);
  const http::Validators validators = static_validators(facts, file.etag, now);
  http::ResponseFields fields = static_fields(facts, validators);
  if (http::answer_conditional(exchange, validators, fields, now)) return true;
  const bool is_started = is_whole ? code_whole(exchange, wish, lookup, coding, read_at)
                                   : stream_coded(exchange, lookup, std::move(fields), coding);
  if (is_started) return true;
  lookup.may_keep = false;  // with room it would have been coded
  if (!limits.refuses_saturated) return false;
  exchange.respond_error(kSaturated);
  return true;
}

bool StaticHandler::code_whole(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                               http::Coding coding, const files::Moment& read_at) {
  files::CachedFile file = describe(wish, lookup, coding);
  const std::string key = flight_key(file, options_.route, lookup.settled);
  const bool settled = lookup.settled;
  const bool may_keep = settled && lookup.may_keep;
  auto source = std::make_shared<StaticLookup>(std::move(lookup));
  const bool is_started = services_.coder->code_whole(
      exchange, key, coding,
      [source](std::string& into) {
        if (source->has_content) {
          into = std::move(source->content);
          return true;
        }
        return files::read_content(source->fd.get(), source->identity, files::Access::kBlocking,
                                   into) == files::ReadOutcome::kComplete;
      },
      [this, &exchange, file, settled, may_keep, rest = std::string(wish.rest),
       codings = wish.codings, at = read_at.now](body::CodedBytes& coded) {
        if (!coded.is_complete) {  // changed meanwhile
          look_up(exchange, {rest, {}});
          return;
        }
        files::CachedFile made = file;
        if (coded.made == nullptr) {  // the first to hear of it makes the answer of all
          prepare(exchange, made, settled, std::move(coded.bytes));
          coded.made = std::make_shared<files::CachedFile>(made);
        }
        made = *std::static_pointer_cast<const files::CachedFile>(coded.made);
        const files::HotCache::Key kept{options_.route, codings.signature(), rest};
        if (may_keep) services_.coded_files->keep(kept, made, {0, at});
        answer_small(exchange, made, settled);
      });
  if (!is_started) lookup = std::move(*source);
  return is_started;
}

bool StaticHandler::stream_coded(http::Exchange& exchange, StaticLookup& lookup,
                                 http::ResponseFields fields, http::Coding coding) {
  if (!services_.coder->has_place()) return false;
  std::shared_ptr<body::Producer> plain;
  if (lookup.has_content) {
    plain = std::make_shared<body::MemoryProducer>(std::move(lookup.content));
  } else {
    plain = std::make_shared<body::FileProducer>(std::move(lookup.fd), lookup.identity.size);
  }
  fields.remove(http::field_name(http::FieldId::kAcceptRanges));
  auto coded = services_.coder->stream(std::move(plain), coding);
  if (coded == nullptr) {
    exchange.respond_error(http::refusal_for(Errc::kExhausted));
  } else {
    exchange.respond({200, std::move(fields)}, std::move(coded));
  }
  return true;
}

// All but the answers themselves. `coding`: that of the sidecar, or the one that is to be made.
files::CachedFile StaticHandler::describe(const Wish& wish, const StaticLookup& lookup,
                                          http::Coding coding) const {
  files::CachedFile file;
  file.identity = lookup.identity;
  file.content_type = mime_types_.type_of(lookup.named());
  file.cache_control = cache_rules_.value_for(lookup.named());
  file.varies =
      (options_.compress || options_.precompressed) && http::may_be_coded(file.content_type);
  file.chosen_by_accept = wish.rest == kApplication;
  file.coding = coding;
  file.opened = lookup.opened;
  file.missing = lookup.missing;
  file.unchanged = lookup.unchanged;
  file.etag = make_etag(facts_of(file, lookup.settled));
  if (lookup.coding != http::Coding::kIdentity) {
    file.etag = http::coded_etag(file.etag, http::coding_token(coding));
  } else if (coding != http::Coding::kIdentity) {
    file.etag = http::coded_etag(file.etag, services_.coder->mark(coding));
  }
  return file;
}

void StaticHandler::prepare(const http::Exchange& exchange, files::CachedFile& file, bool settled,
                            std::string content) const {
  const FileFacts facts = facts_of(file, settled);
  const http::Validators validators = static_validators(facts, file.etag, unix_now());
  http::ResponseFields fields = static_fields(facts, validators);
  file.not_modified =
      http::make_prepared({304, http::not_modified_fields(fields)}, {}, exchange.header_policy());
  file.ok =
      http::make_prepared({200, std::move(fields)}, std::move(content), exchange.header_policy());
}

// The size is that of the file, also where its coded bytes are given.
FileFacts StaticHandler::facts_of(const files::CachedFile& file, bool settled) const {
  const files::FileIdentity& identity = file.identity;
  return {.size = identity.size,
          .inode = identity.inode,
          .mtime_s = identity.mtime_ns / kNanoseconds,
          .mtime_ns = static_cast<std::uint32_t>(identity.mtime_ns % kNanoseconds),
          .ctime_s = identity.ctime_ns / kNanoseconds,
          .ctime_ns = static_cast<std::uint32_t>(identity.ctime_ns % kNanoseconds),
          .settled = settled,
          .content_type = file.content_type,
          .cache_control = file.cache_control,
          .coding = file.coding,
          .varies = file.varies,
          .chosen_by_accept = file.chosen_by_accept};
}

void StaticHandler::answer_small(http::Exchange& exchange, const files::CachedFile& file,
                                 bool settled) {
  const std::int64_t now = unix_now();
  FileFacts facts = facts_of(file, settled);
  facts.size = file.ok->body.size();  // ranges are those of the coded bytes (RFC 9110 14.2)
  const http::Validators validators = static_validators(facts, file.etag, now);
  const StaticDecision decision = decide_static(exchange.request(), validators, facts.size, now);
  if (decision.status == 200) {
    exchange.respond(file.ok);
  } else if (decision.status == 304) {
    exchange.respond(file.not_modified);
  } else {
    answer_decided(
        exchange, decision, facts, validators, [ok = file.ok](const http::ByteRange& part) {
          const auto bytes = std::string_view(ok->body).substr(
              static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.length()));
          return std::make_unique<body::MemorySource>(ok, bytes);
        });
  }
}

void StaticHandler::answer_large(http::Exchange& exchange, const Wish& wish, StaticLookup lookup) {
  const std::int64_t now = unix_now();
  const files::CachedFile file = describe(wish, lookup, lookup.coding);
  const FileFacts facts = facts_of(file, lookup.settled);
  const http::Validators validators = static_validators(facts, file.etag, now);
  const StaticDecision decision = decide_static(exchange.request(), validators, facts.size, now);
  answer_decided(
      exchange, decision, facts, validators,
      [&loop = services_.loop, &pool = services_.pool,
       fd = std::make_shared<const UniqueFd>(std::move(lookup.fd))](const http::ByteRange& part) {
        return std::make_unique<body::FileSource>(loop, pool, fd, part.first, part.length());
      });
}

void StaticHandler::answer_decided(http::Exchange& exchange, const StaticDecision& decision,
                                   const FileFacts& facts, const http::Validators& validators,
                                   body::RangeOpener open) {
  if (decision.status == 412) {
    exchange.respond_error(http::kPreconditionFailed);
    return;
  }
  http::ResponseFields fields = static_fields(facts, validators);
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
