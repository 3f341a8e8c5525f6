#include "worker/features/static/static_plan.h"

#include <algorithm>
#include <charconv>

#include "common/base/text.h"
#include "worker/http/date.h"

namespace servery::features {
namespace {

void append_hex(std::string& out, std::uint64_t value) {
  char digits[16];
  char* const end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  out.append(digits, end);
}

std::string content_range(const StaticDecision& decision, std::uint64_t size) {
  const std::string total = std::to_string(size);
  if (decision.status == 416) return "bytes */" + total;
  return "bytes " + std::to_string(decision.offset) + "-" +
         std::to_string(decision.offset + decision.length - 1) + "/" + total;
}

}  // namespace

std::string make_etag(const FileFacts& file) {
  std::string etag = file.settled ? "\"" : "W/\"";
  const std::uint64_t parts[] = {file.inode,
                                 file.size,
                                 static_cast<std::uint64_t>(file.mtime_s),
                                 file.mtime_ns,
                                 static_cast<std::uint64_t>(file.ctime_s),
                                 file.ctime_ns};
  for (const std::uint64_t part : parts) {
    append_hex(etag, part);
    etag += '-';
  }
  etag.back() = '"';
  return etag;
}

http::Validators static_validators(const FileFacts& file, std::string_view etag, std::int64_t now) {
  return {etag, std::min(file.mtime_s, now), file.settled && file.mtime_s < now};
}

StaticDecision decide_static(const http::RequestHead& request, const http::Validators& validators,
                             std::uint64_t size, std::int64_t now) {
  switch (http::evaluate_preconditions(request.fields, true, true, validators, now)) {
    case http::Precondition::kNotModified:
      return {304, 0, 0};
    case http::Precondition::kFailed:
      return {412, 0, 0};
    case http::Precondition::kProceed:
      break;
  }
  const http::FieldView* const range = request.fields.find(http::FieldId::kRange);
  // Range is defined for GET only (RFC 9110 14.2); two Range fields are no field.
  const bool has_range = range != nullptr && request.method == http::Method::kGet &&
                         request.fields.count(http::FieldId::kRange) == 1 &&
                         http::if_range_holds(request.fields, validators, now);
  if (!has_range) return {200, 0, size};
  const http::RangeChoice choice = http::choose_range(range->value, size);
  switch (choice.kind) {
    case http::RangeChoice::Kind::kPart:
      return {206, choice.first, choice.length()};
    case http::RangeChoice::Kind::kUnsatisfiable:
      return {416, 0, 0};
    case http::RangeChoice::Kind::kWhole:
      break;
  }
  return {200, 0, size};
}

http::ResponseFields static_fields(const StaticDecision& decision, const FileFacts& file,
                                   const http::Validators& validators,
                                   std::string_view cache_control) {
  using http::FieldId;
  http::ResponseFields fields;
  const bool has_content = decision.status == 200 || decision.status == 206;
  if (has_content) {
    fields.add(FieldId::kContentType, file.content_type);
    char date[http::kHttpDateSize];
    http::format_http_date(validators.last_modified, date);
    fields.add(FieldId::kLastModified, {date, sizeof date});
  }
  // RFC 9110 15.4.5: a 304 repeats what guides caches, not the rest of the metadata.
  if (has_content || decision.status == 304) {
    fields.add(FieldId::kEtag, validators.etag);
    if (!cache_control.empty()) fields.add(FieldId::kCacheControl, cache_control);
  }
  if (has_content || decision.status == 416) fields.add(FieldId::kAcceptRanges, "bytes");
  if (decision.status == 206 || decision.status == 416) {
    fields.add(FieldId::kContentRange, content_range(decision, file.size));
  }
  return fields;
}

std::string directory_location(const http::RequestHead& request) {
  // The path as sent, if it was normal already: it then begins with exactly one slash. A browser
  // takes a backslash for a second one.
  const bool is_as_sent = request.path.data() == request.raw_path.data() &&
                          request.raw_path.find('\\') == std::string_view::npos;
  std::string location =
      is_as_sent ? std::string(request.raw_path) : percent_encode_path(request.path);
  if (!location.ends_with('/')) location += '/';
  if (request.has_query) location.append("?").append(request.query);
  return location;
}

}  // namespace servery::features
