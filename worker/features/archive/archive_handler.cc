#include "worker/features/archive/archive_handler.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "worker/body/memory_source.h"
#include "worker/http/conditional.h"
#include "worker/http/error_response.h"
#include "worker/http/range.h"

namespace servery::archive {
namespace {

constexpr std::size_t kMostCrcs = 100'000;  // some 10 MB

constexpr http::Refusal kNotFound{404, "not_found"};
constexpr http::Refusal kPreconditionFailed{412, "precondition_failed"};
constexpr http::Refusal kBusy{503, "archive_busy"};
constexpr http::Refusal kTooLarge{403, "archive_too_large"};  // the server will not, ever

std::int64_t unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The last segment of "/a/b/".
std::string name_of(std::string_view path) {
  path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name.empty() ? "archive" : std::string(name);
}

}  // namespace

// The planning; destroying it ends the work with the slice at hand.
class ArchiveHandler::Task final : public http::ExchangeTask {
 public:
  Task(ArchiveHandler& handler, http::Exchange& exchange, std::shared_ptr<ArchivePlan> plan,
       Place place)
      : handler_(handler), exchange_(exchange), plan_(std::move(plan)), place_(std::move(place)) {}

  void advance() {
    auto job = handler_.pool_.run(
        Lane::kBulk, [plan = plan_, step = step_] { *step = plan->advance(); },
        [this] { on_step(); });
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
      case ArchivePlan::Step::kMore:
        advance();
        break;
      case ArchivePlan::Step::kReady:
        handler_.answer_planned(exchange_, *plan_, std::move(place_));
        break;
      case ArchivePlan::Step::kFailed:
        exchange_.respond_error(
            plan_->error() == Errc::kTooLarge ? kTooLarge : http::refusal_for(plan_->error()));
        break;
    }
  }

  ArchiveHandler& handler_;
  http::Exchange& exchange_;
  std::shared_ptr<ArchivePlan> plan_;
  Place place_;
  std::shared_ptr<ArchivePlan::Step> step_ = std::make_shared<ArchivePlan::Step>();
  BlockingPool::Job job_;
};

ArchiveHandler::ArchiveHandler(Loop& loop, BlockingPool& pool, files::Root root,
                               ArchiveOptions options)
    : loop_(loop),
      pool_(pool),
      root_(std::move(root)),
      options_(std::move(options)),
      crcs_(kMostCrcs),
      active_(options_.most_active) {}

bool ArchiveHandler::claims(const http::RequestHead& request) const {
  return request.has_query && asks_for_archive(request.query);
}

void ArchiveHandler::answer(http::Exchange& exchange, std::string_view path) {
  const http::RequestHead& request = exchange.request();
  Query query;
  if (const auto refusal = parse_query(request.query, query)) {
    exchange.respond_error(*refusal);
    return;
  }
  const bool asks_hidden = std::any_of(query.entries.begin(), query.entries.end(),
                                       [](const std::string& name) { return name.front() == '.'; });
  files::RelativePath directory;
  if (!directory.assign(path, files::HiddenNames::kAllow) || !request.path.ends_with('/') ||
      (asks_hidden && !options_.shows_hidden)) {
    exchange.respond_error(kNotFound);
    return;
  }
  Place place = active_.take();
  if (place == nullptr) {
    exchange.respond_error(kBusy);
    return;
  }
  auto plan = std::make_shared<ArchivePlan>(root_, directory, name_of(request.path),
                                            std::move(query), options_.shows_hidden);
  auto task = std::make_unique<Task>(*this, exchange, std::move(plan), std::move(place));
  Task& first = *task;
  exchange.set_task(std::move(task));
  first.advance();
}

http::ResponseFields ArchiveHandler::fields_of(const ArchivePlan& plan) const {
  http::ResponseFields fields;
  fields.add(http::FieldId::kContentType, content_type(plan.format()));
  fields.add("content-disposition",
             content_disposition(plan.name() + std::string(extension(plan.format()))));
  fields.add(http::FieldId::kEtag, plan.etag());
  if (!options_.cache_control.empty()) {
    fields.add(http::FieldId::kCacheControl, options_.cache_control);
  }
  if (plan.length()) fields.add(http::FieldId::kAcceptRanges, "bytes");
  fields.add("x-content-type-options", "nosniff");
  return fields;
}

void ArchiveHandler::answer_planned(http::Exchange& exchange, ArchivePlan& plan, Place place) {
  const http::Validators validators{.etag = plan.etag(), .has_last_modified = false};
  switch (
      http::evaluate_preconditions(exchange.request().fields, true, true, validators, unix_now())) {
    case http::Precondition::kFailed:
      exchange.respond_error(kPreconditionFailed);
      return;
    case http::Precondition::kNotModified: {
      http::ResponseFields fields = fields_of(plan);
      fields.remove("content-type");
      fields.remove("content-disposition");
      exchange.respond({304, std::move(fields)}, nullptr);
      return;
    }
    case http::Precondition::kProceed:
      break;
  }
  answer_bytes(exchange, plan, std::move(place));
}

void ArchiveHandler::answer_bytes(http::Exchange& exchange, ArchivePlan& plan, Place place) {
  const http::RequestHead& request = exchange.request();
  const std::optional<std::uint64_t> size = plan.length();
  http::ResponseHead head{200, fields_of(plan)};
  http::RangeChoice range;
  const http::Validators validators{.etag = plan.etag(), .has_last_modified = false};
  if (size && request.method == http::Method::kGet && request.fields.has(http::FieldId::kRange) &&
      http::if_range_holds(request.fields, validators, unix_now())) {
    range = http::choose_range(request.fields.find(http::FieldId::kRange)->value, *size);
  }
  if (range.kind == http::RangeChoice::Kind::kUnsatisfiable) {
    head = {416, {}};
    head.fields.add(http::FieldId::kContentRange, "bytes */" + std::to_string(*size));
    const http::PreparedRef& error = http::error_response(416, nullptr);
    exchange.respond(std::move(head), std::make_unique<body::MemorySource>(error, error->body));
    return;
  }
  const bool is_part = range.kind == http::RangeChoice::Kind::kPart;
  if (is_part) {
    head.status = 206;
    head.fields.add(http::FieldId::kContentRange, "bytes " + std::to_string(range.first) + "-" +
                                                      std::to_string(range.last) + "/" +
                                                      std::to_string(*size));
  }
  auto producer = plan.make_producer(crcs_, is_part ? range.first : 0,
                                     is_part ? range.last + 1 : size.value_or(0));
  if (!producer) {
    exchange.respond_error(http::refusal_for(producer.error().code));
    return;
  }
  const auto length = is_part ? std::optional(range.length()) : size;
  exchange.respond(std::move(head),
                   std::make_unique<body::ProducedSource>(loop_, pool_, std::move(*producer),
                                                          length, std::move(place)));
}

}  // namespace servery::archive
