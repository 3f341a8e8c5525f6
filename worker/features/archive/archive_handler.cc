#include "worker/features/archive/archive_handler.h"

#include <algorithm>
#include <utility>

#include "common/base/clock.h"
#include "worker/body/produced_source.h"
#include "worker/body/range_answer.h"
#include "worker/body/slice_task.h"
#include "worker/http/conditional_answer.h"
#include "worker/http/disposition.h"
#include "worker/http/error_response.h"

namespace servery::archive {
namespace {

constexpr std::size_t kMostCrcs = 100'000;  // some 10 MB

constexpr http::Refusal kNotFound{404, "not_found"};
constexpr http::Refusal kBusy{503, "archive_busy"};
constexpr http::Refusal kNoCoder{503, "archive_coder"};       // out of memory
constexpr http::Refusal kTooLarge{403, "archive_too_large"};  // the server will not, ever

// The last segment of "/a/b/".
std::string name_of(std::string_view path) {
  path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return name.empty() ? "archive" : std::string(name);
}

}  // namespace

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
  auto step = std::make_shared<ArchivePlan::Step>();
  body::SliceTask::run(
      exchange, pool_, kBusy,
      [plan, step] {
        *step = plan->advance();
        return *step == ArchivePlan::Step::kMore;
      },
      [this, &exchange, plan, step, place = std::move(place)] {
        if (*step == ArchivePlan::Step::kReady) {
          answer_planned(exchange, plan, place);
        } else if (plan->error() == Errc::kNotFound && options_.fallback != nullptr) {
          options_.fallback->run(exchange);
        } else {
          exchange.respond_error(
              plan->error() == Errc::kTooLarge ? kTooLarge : http::refusal_for(plan->error()));
        }
      });
}

http::ResponseFields ArchiveHandler::fields_of(const ArchivePlan& plan) const {
  http::ResponseFields fields;
  fields.add(http::FieldId::kContentType, content_type(plan.format()));
  fields.add(http::kContentDisposition,
             http::attachment(plan.name() + std::string(extension(plan.format()))));
  fields.add(http::FieldId::kEtag, plan.etag());
  if (!options_.cache_control.empty()) {
    fields.add(http::FieldId::kCacheControl, options_.cache_control);
  }
  if (plan.length()) fields.add(http::FieldId::kAcceptRanges, "bytes");
  fields.add("x-content-type-options", "nosniff");
  return fields;
}

void ArchiveHandler::answer_planned(http::Exchange& exchange,
                                    const std::shared_ptr<ArchivePlan>& plan, const Place& place) {
  const http::Validators validators{.etag = plan->etag(), .has_last_modified = false};
  const std::int64_t now = unix_seconds(SystemClock().wall());
  http::ResponseFields fields = fields_of(*plan);
  if (http::answer_conditional(exchange, validators, fields, now)) return;
  const std::optional<std::uint64_t> size = plan->length();
  if (size) {
    const http::RangeChoice choice =
        http::requested_range(exchange.request(), validators, *size, now);
    body::answer_range(exchange, choice, std::move(fields), *size,
                       [this, plan, place](const http::ByteRange& part) {
                         return source_of(*plan, part.first, part.last + 1, place);
                       });
    return;
  }
  if (auto source = source_of(*plan, 0, 0, place)) {
    exchange.respond({200, std::move(fields)}, std::move(source));
  } else {
    exchange.respond_error(kNoCoder);
  }
}

// Bytes `first` to `end` of an uncompressed archive, all of a compressed one.
std::unique_ptr<http::BodySource> ArchiveHandler::source_of(ArchivePlan& plan, std::uint64_t first,
                                                            std::uint64_t end, Place place) {
  auto producer = plan.make_producer(crcs_, first, end);
  if (!producer) return nullptr;
  const auto length = plan.length() ? std::optional(end - first) : std::nullopt;
  return std::make_unique<body::ProducedSource>(loop_, pool_, std::move(*producer), length,
                                                std::move(place));
}

}  // namespace servery::archive
