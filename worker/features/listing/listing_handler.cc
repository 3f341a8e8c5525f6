#include "worker/features/listing/listing_handler.h"

#include <memory>
#include <utility>

#include "common/base/clock.h"
#include "worker/body/memory_source.h"
#include "worker/body/slice_task.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/error_response.h"

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
    answer_whole(exchange, *run);
  } else if (step == ListingRun::Step::kStreamed) {
    answer_streamed(exchange, run);
  } else {
    exchange.respond_error(http::refusal_for(run->error().code));
  }
}

http::ResponseFields ListingHandler::fields_of(const ListingRun& run) const {
  const Query& query = run.facts().query;
  http::ResponseFields fields;
  fields.add(http::FieldId::kContentType, content_type(query.format));
  fields.add(http::FieldId::kVary, "accept");
  if (!options_.cache_control.empty()) {
    fields.add(http::FieldId::kCacheControl, options_.cache_control);
  }
  if (!run.etag().empty()) fields.add(http::FieldId::kEtag, run.etag());
  const std::string link = link_value(query, run.neighbours());
  if (!link.empty()) fields.add("link", link);
  fields.add("x-content-type-options", "nosniff");
  if (query.format == Format::kHtml) {
    fields.add("content-security-policy", content_security_policy());
  }
  return fields;
}

void ListingHandler::answer_whole(http::Exchange& exchange, ListingRun& run) {
  http::ResponseFields fields = fields_of(run);
  const http::Validators validators{.etag = run.etag(), .has_last_modified = false};
  const std::int64_t now = unix_seconds(SystemClock().wall());
  if (http::answer_conditional(exchange, validators, fields, now)) return;
  exchange.respond({200, std::move(fields)},
                   std::make_unique<body::MemorySource>(std::move(run.body())));
}

void ListingHandler::answer_streamed(http::Exchange& exchange, std::shared_ptr<ListingRun> run) {
  std::shared_ptr<const void> place = streams_.take();
  if (place == nullptr) {
    exchange.respond_error(kBusy);
    return;
  }
  http::ResponseFields fields = fields_of(*run);
  exchange.respond({200, std::move(fields)},
                   std::make_unique<body::ProducedSource>(loop_, pool_, std::move(run),
                                                          std::nullopt, std::move(place)));
}

}  // namespace servery::listing
