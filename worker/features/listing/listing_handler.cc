#include "worker/features/listing/listing_handler.h"

#include <chrono>
#include <memory>
#include <utility>

#include "worker/body/memory_source.h"
#include "worker/http/conditional.h"
#include "worker/http/error_response.h"

namespace servery::listing {
namespace {

// Each may hold some megabytes.
constexpr unsigned kMostStreams = 8;

constexpr http::Refusal kNotFound{404, "not_found"};
constexpr http::Refusal kPreconditionFailed{412, "precondition_failed"};
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

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// The slices before the head; destroying it ends the work with the slice at hand.
class ListingHandler::Task final : public http::ExchangeTask {
 public:
  Task(ListingHandler& handler, http::Exchange& exchange, std::shared_ptr<ListingRun> run)
      : handler_(handler), exchange_(exchange), run_(std::move(run)) {}

  void advance() {
    auto job = handler_.pool_.run(
        Lane::kBulk, [run = run_, step = step_] { *step = run->advance(); }, [this] { on_step(); });
    if (job) {
      job_ = std::move(*job);
    } else {
      exchange_.respond_error(kBusy);
    }
  }

 private:
  // The last two may destroy this.
  void on_step() {
    switch (*step_) {
      case ListingRun::Step::kMore:
        advance();
        break;
      case ListingRun::Step::kWhole:
        handler_.answer_whole(exchange_, *run_);
        break;
      case ListingRun::Step::kStreamed:
        handler_.answer_streamed(exchange_, run_);
        break;
      case ListingRun::Step::kFailed:
        exchange_.respond_error(http::refusal_for(run_->error().code));
        break;
    }
  }

  ListingHandler& handler_;
  http::Exchange& exchange_;
  std::shared_ptr<ListingRun> run_;
  std::shared_ptr<ListingRun::Step> step_ = std::make_shared<ListingRun::Step>();
  BlockingPool::Job job_;
};

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
  auto task = std::make_unique<Task>(*this, exchange, std::move(run));
  Task& first = *task;
  exchange.set_task(std::move(task));
  first.advance();
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
  switch (http::evaluate_preconditions(exchange.request().fields, true, true,
                                       {.etag = run.etag(), .has_last_modified = false},
                                       unix_now())) {
    case http::Precondition::kFailed:
      exchange.respond_error(kPreconditionFailed);
      return;
    case http::Precondition::kNotModified:
      fields.remove("content-type");
      exchange.respond({304, std::move(fields)}, nullptr);
      return;
    case http::Precondition::kProceed:
      break;
  }
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
