#include "worker/features/listing/listing_handler.h"

#include <memory>
#include <utility>

#include "common/base/clock.h"
#include "worker/body/memory_source.h"
#include "worker/body/slice_task.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"
#include "worker/http/negotiate.h"

namespace servery::listing {
namespace {

// Each may hold some megabytes.
constexpr unsigned kMostStreams = 8;

constexpr http::Refusal kNotFound{404, "not_found"};
constexpr http::Refusal kBusy{503, "listing_busy"};

std::string link_value(const Query& query, const Neighbours& neighbours) {
  std::string value;
  if (neighbours.previous) {
    value.append("<").append(page_href(query, *neighbours.previous)).append(">; rel=\"prev\"");
  }
  if (neighbours.next) {
    if (!value.empty()) value += ", ";
    value.append("<").append(page_href(query, *neighbours.next)).append(">; rel=\"next\"");
  }
  return value;
}

// All values of Accept as one list (RFC 9110 5.2).
std::string accept_of(const http::RequestFields& fields) {
  std::string list;
  for (const http::FieldView& field : fields) {
    if (field.name != "accept") continue;
    if (!list.empty()) list += ", ";
    list += field.value;
  }
  return list;
}

}  // namespace

ListingHandler::ListingHandler(Loop& loop, BlockingPool& pool, files::Root root,
                               ListingOptions options)
    : loop_(loop),
      pool_(pool),
      root_(std::move(root)),
      options_(std::move(options)),
      streams_(kMostStreams) {}

void ListingHandler::answer(http::Exchange& exchange, std::string_view path) {
  const http::RequestHead& request = exchange.request();
  PageFacts facts;
  if (const auto refusal = parse_query(request.query, accept_of(request.fields), facts.query)) {
    exchange.respond_error(*refusal);
    return;
  }
  files::RelativePath directory;
  if (!directory.assign(path, files::HiddenNames::kAllow) || !request.path.ends_with('/')) {
    exchange.respond_error(kNotFound);
    return;
  }
  facts.url_path = request.path;
  facts.prefix_size = request.path.size() - std::min(path.size(), request.path.size());
  facts.offers_archive = options_.offers_archive;
  // Who may see the names need not be one who may read what is in the files.
  facts.wants_readme = options_.shows_readme && facts.query.format == Format::kHtml &&
                       exchange.access().rights.has(http::Right::kRead);
  auto run =
      std::make_shared<ListingRun>(root_, directory, options_.shows_hidden, std::move(facts));
  auto step = std::make_shared<ListingRun::Step>();
  body::SliceTask::run(
      exchange, pool_, kBusy,
      [run, step] {
        *step = run->advance();
        return *step == ListingRun::Step::kMore;
      },
      [this, &exchange, run, step] { answer_begun(exchange, run, *step); });
}

void ListingHandler::answer_begun(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run,
                                  ListingRun::Step step) {
  if (step == ListingRun::Step::kWhole) {
    answer_whole(exchange, run);
  } else if (step == ListingRun::Step::kStreamed) {
    answer_streamed(exchange, run);
  } else if (run->error().code == Errc::kNotFound && options_.fallback != nullptr) {
    options_.fallback->run(exchange);
  } else {
    exchange.respond_error(http::refusal_for(run->error().code));
  }
}

http::Coding ListingHandler::coding_for(const http::RequestHead& request) const {
  if (options_.coder == nullptr) return http::Coding::kIdentity;
  const http::CodingPreference codings = http::preferred_codings(request.fields);
  return codings.empty() ? http::Coding::kIdentity : *codings.begin();
}

http::ResponseFields ListingHandler::fields_of(const ListingRun& run, http::Coding coding) const {
  const Query& query = run.facts().query;
  http::ResponseFields fields;
  fields.add(http::FieldId::kContentType, content_type(query.format));
  fields.add(http::FieldId::kVary, "accept");
  if (options_.coder != nullptr) http::vary_on(fields, "accept-encoding");
  if (!options_.cache_control.empty()) {
    fields.add(http::FieldId::kCacheControl, options_.cache_control);
  }
  const bool is_coded = coding != http::Coding::kIdentity;
  if (is_coded) fields.add(http::FieldId::kContentEncoding, http::coding_token(coding));
  if (!run.etag().empty()) {
    fields.add(http::FieldId::kEtag,
               is_coded ? http::coded_etag(run.etag(), options_.coder->mark(coding)) : run.etag());
  }
  const std::string link = link_value(query, run.neighbours());
  if (!link.empty()) fields.add("link", link);
  fields.add("x-content-type-options", "nosniff");
  if (query.format == Format::kHtml) {
    fields.add("content-security-policy", content_security_policy());
  }
  return fields;
}

void ListingHandler::answer_whole(http::Exchange& exchange,
                                  const std::shared_ptr<ListingRun>& run) {
  http::Coding coding = coding_for(exchange.request());
  if (coding != http::Coding::kIdentity &&
      run->body().size() < options_.coder->options().min_size) {
    coding = http::Coding::kIdentity;
  }
  http::ResponseFields fields = fields_of(*run, coding);
  const std::string etag = *fields.find(http::FieldId::kEtag);
  const http::Validators validators{.etag = etag, .has_last_modified = false};
  const std::int64_t now = unix_seconds(SystemClock().wall());
  if (http::answer_conditional(exchange, validators, fields, now)) return;
  if (coding != http::Coding::kIdentity) {
    if (code_whole(exchange, run, coding, std::move(fields))) return;
    if (options_.coder->options().refuses_saturated) {
      exchange.respond_error(body::kCodingSaturated);
      return;
    }
    fields = fields_of(*run, http::Coding::kIdentity);
  }
  exchange.respond({200, std::move(fields)},
                   std::make_unique<body::MemorySource>(std::move(run->body())));
}

// Clients that ask for the same page meanwhile get the same coded bytes: the body's hash is in the
// key. Who could choose names so that two pages share one would mix up his own directory only.
bool ListingHandler::code_whole(http::Exchange& exchange, const std::shared_ptr<ListingRun>& run,
                                http::Coding coding, http::ResponseFields fields) {
  std::string key = "listing " + *fields.find(http::FieldId::kEtag);
  key.append(reinterpret_cast<const char*>(&options_.route), sizeof options_.route);
  key += run->facts().url_path;
  return options_.coder->code_whole(
      exchange, key, coding,
      [run](std::string& into) {
        into = std::move(run->body());
        return true;
      },
      [&exchange, fields = std::move(fields)](body::CodedBytes& coded) {
        if (!coded.is_complete) {
          exchange.respond_error(http::refusal_for(Errc::kExhausted));
          return;
        }
        if (coded.made == nullptr) {
          coded.made = std::make_shared<const std::string>(std::move(coded.bytes));
        }
        const auto text = std::static_pointer_cast<const std::string>(coded.made);
        exchange.respond({200, fields}, std::make_unique<body::MemorySource>(text, *text));
      });
}

void ListingHandler::answer_streamed(http::Exchange& exchange,
                                     const std::shared_ptr<ListingRun>& run) {
  // Without a tag: `*` can hold all the same, and no tag can match.
  const std::int64_t now = unix_seconds(SystemClock().wall());
  const http::ResponseFields plain = fields_of(*run, http::Coding::kIdentity);
  if (http::answer_conditional(exchange, {.etag = {}, .has_last_modified = false}, plain, now))
    return;
  std::shared_ptr<const void> place = streams_.take();
  if (place == nullptr) {
    exchange.respond_error(kBusy);
    return;
  }
  http::Coding coding = coding_for(exchange.request());
  if (coding != http::Coding::kIdentity && !options_.coder->has_place()) {
    if (options_.coder->options().refuses_saturated) {
      exchange.respond_error(body::kCodingSaturated);
      return;
    }
    coding = http::Coding::kIdentity;
  }
  std::unique_ptr<http::BodySource> source;
  if (coding == http::Coding::kIdentity) {
    source =
        std::make_unique<body::ProducedSource>(loop_, pool_, run, std::nullopt, std::move(place));
  } else {
    const auto both =
        std::make_shared<std::pair<std::shared_ptr<ListingRun>, std::shared_ptr<const void>>>(
            run, std::move(place));
    source = options_.coder->stream(std::shared_ptr<body::Producer>(both, run.get()), coding);
  }
  if (source == nullptr) {
    exchange.respond_error(http::refusal_for(Errc::kExhausted));
    return;
  }
  exchange.respond({200, fields_of(*run, coding)}, std::move(source));
}

}  // namespace servery::listing
