#include "worker/features/static/static_handler.h"

#include <memory>
#include <utility>

#include "worker/body/producers.h"
#include "worker/features/static/sidecar.h"
#include "worker/http/error_response.h"

namespace servery::features {
namespace {

constexpr http::Refusal kNotFound{404, "not_found"};

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
      maker_(services.clock, options_.representation),
      answers_(services.loop, services.pool, maker_,
               options_.digests ? services.digester : nullptr) {
  if (!options_.compress) return;
  coding_.emplace(StaticCoding::Parts{*services.coder, *services.coded_files, maker_, answers_},
                  options_.route, [this](http::Exchange& exchange, std::string_view rest) {
                    look_up(exchange, {rest, {}});
                  });
}

http::MethodSet StaticHandler::methods() const {
  http::MethodSet set;
  set.add(http::Method::kGet);
  set.add(http::Method::kHead);
  return set;
}

void StaticHandler::handle(http::Exchange& exchange, const routing::RouteMatch& match) {
  if (asks_for_archive(exchange.request(), match.rest)) {
    answer_directory(exchange, match.rest, options_.archive.get());
    return;
  }
  serve(exchange, wish_of(exchange.request(), match.rest));
}

void StaticHandler::serve(http::Exchange& exchange, const Wish& wish) {
  const files::CachedFile* file = coding_ ? coding_->find(wish, root_, now()) : nullptr;
  if (file == nullptr) file = services_.cache.find(wish.cache_key(options_.route), root_, now());
  if (file != nullptr) {
    answers_.answer_kept(exchange, *file, true);
  } else {
    look_up(exchange, wish);
  }
}

// No coding where the route offers none, or the name is that of a type without variants.
Wish StaticHandler::wish_of(const http::RequestHead& request, std::string_view rest) const {
  Wish wish{rest, {}};
  if (!options_.compress && !options_.precompressed) return wish;
  if (!request.fields.has(http::FieldId::kAcceptEncoding)) return wish;
  const std::string_view type = maker_.type_of(rest);
  const bool tells = !rest.empty() && !rest.ends_with('/') && type != maker_.type_of({});
  if (!tells || http::may_be_coded(type)) wish.codings = http::preferred_codings(request.fields);
  return wish;
}

void StaticHandler::look_up(http::Exchange& exchange, const Wish& wish) {
  const std::string_view rest = wish.rest;
  const http::RequestHead& request = exchange.request();
  files::RelativePath path;
  // An encoded slash is no separator, and no file name can hold it.
  if (request.encoded_slash || !path.assign(rest, options_.hidden)) {
    answer_not_found(exchange);
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
    answer(exchange, wish, std::move(lookup), now());
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
      http::may_be_coded(maker_.type_of(found.opened))) {
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
  if (await_digest(exchange, wish, lookup, read_at)) return;
  answer_file(exchange, wish, std::move(lookup), read_at);
}

bool StaticHandler::await_digest(http::Exchange& exchange, const Wish& wish, StaticLookup& lookup,
                                 const files::Moment& read_at) {
  if (options_.representation.etag != EtagKind::kContent || services_.digester == nullptr) {
    return false;
  }
  constexpr auto kAlgorithm = Digest::Algorithm::kSha256;
  const std::uint64_t size = lookup.identity.size;
  body::ContentDigester::Input input{
      span_key(bytes_key(lookup.identity, lookup.coding, lookup.settled), 0, size), {}, {}};
  if (const std::string* const kept = services_.digester->find(kAlgorithm, input.key)) {
    lookup.content_digest = *kept;
    return false;
  }
  const bool settled = lookup.settled;
  auto source = std::make_shared<StaticLookup>(std::move(lookup));
  if (source->has_content) {
    input.bytes = std::make_shared<body::MemoryProducer>(source, source->content);
    if (settled) input.may_keep = [] { return true; };
  } else {
    const std::shared_ptr<const UniqueFd> fd(source, &source->fd);
    input.bytes = std::make_shared<body::FileProducer>(fd, 0, size);
    if (settled) input.may_keep = still_is(fd, source->identity);
  }
  const bool is_started = services_.digester->compute(
      exchange, kAlgorithm, std::move(input),
      [this, &exchange, source, rest = std::string(wish.rest), codings = wish.codings,
       at = read_at.now](const std::string& digest) {
        if (digest.empty()) {
          exchange.respond_error(kDigestUnreadable);
          return;
        }
        source->content_digest = digest;
        answer_file(exchange, {rest, codings}, std::move(*source), {0, at});
      });
  if (is_started) return true;
  lookup = std::move(*source);  // without a tag, this once
  lookup.may_keep = false;
  return false;
}

void StaticHandler::answer_file(http::Exchange& exchange, const Wish& wish, StaticLookup lookup,
                                const files::Moment& read_at) {
  if (coding_ && coding_->answer(exchange, wish, lookup, read_at)) return;
  const bool settled = lookup.settled;
  files::CachedFile file = maker_.describe(lookup, lookup.coding, {}, wish.chosen_by_accept());
  if (!lookup.has_content) {
    answers_.answer_file(exchange, file, settled, std::move(lookup.fd));
    return;
  }
  maker_.prepare(exchange, file, settled, std::move(lookup.content));
  if (settled && lookup.may_keep) {
    services_.cache.keep(wish.cache_key(options_.route), file, read_at);
  }
  answers_.answer_kept(exchange, file, settled);
}

void StaticHandler::answer_missing(http::Exchange& exchange, std::string_view rest) {
  if (rest == Wish::kApplication) {
    answer_not_found(exchange);
  } else if (options_.spa && is_navigation(exchange.request())) {
    serve(exchange, wish_of(exchange.request(), Wish::kApplication));
  } else {
    answer_directory(exchange, rest, options_.listing.get());
  }
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
    answer_not_found(exchange);
    return;
  }
  answer->answer(exchange, path.view());
}

void StaticHandler::answer_not_found(http::Exchange& exchange) {
  if (options_.fallback != nullptr) {
    options_.fallback->run(exchange);
    return;
  }
  if (!options_.spa) {
    exchange.respond_error(kNotFound);
    return;
  }
  if (!not_found_) {
    const auto plain = http::error_response(kNotFound.status, exchange.header_policy());
    auto made = std::make_shared<http::PreparedResponse>();
    made->status = plain->status;
    made->fields = plain->fields;
    made->body = plain->body;
    made->page = plain->page;
    made->fields.add_member(http::FieldId::kVary, "accept");
    not_found_ = std::move(made);
  }
  exchange.respond_error(kNotFound, not_found_);
}

void StaticHandler::redirect_to_directory(http::Exchange& exchange) {
  http::ResponseHead head{308, {}};
  head.fields.add(http::FieldId::kLocation, directory_location(exchange.request()));
  exchange.respond(std::move(head), nullptr);
}

}  // namespace servery::features
