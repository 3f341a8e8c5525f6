#include "worker/features/static/static_plan.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "common/base/base64.h"
#include "common/base/text.h"
#include "worker/http/date.h"
#include "worker/http/disposition.h"
#include "worker/http/syntax.h"

namespace servery::features {
namespace {

constexpr std::size_t kDigestBytes = 16;

void append_hex(std::string& out, std::uint64_t value) {
  char digits[16];
  char* const end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  out.append(digits, end);
}

std::string quoted_etag(bool is_weak, std::initializer_list<std::uint64_t> parts) {
  std::string etag = is_weak ? "W/\"" : "\"";
  for (const std::uint64_t part : parts) {
    append_hex(etag, part);
    etag += '-';
  }
  etag.back() = '"';
  return etag;
}

// A member of Accept (RFC 9110 12.5.1): text/html with a weight other than 0.
bool is_html_wanted(std::string_view range) {
  const std::size_t end = std::min(range.find(';'), range.size());
  if (!equals_ignore_case(trim_ows(range.substr(0, end)), "text/html")) return false;
  std::string_view parameters = range.substr(end);
  while (!parameters.empty()) {
    parameters.remove_prefix(1);
    const std::size_t next = std::min(parameters.find(';'), parameters.size());
    const std::string_view parameter = trim_ows(parameters.substr(0, next));
    parameters.remove_prefix(next);
    if (!starts_with_ignore_case(parameter, "q=")) continue;
    return parameter.find_first_not_of("0.", 2) != std::string_view::npos;
  }
  return true;
}

}  // namespace

std::string make_etag(EtagKind kind, const FileFacts& file) {
  const auto mtime_s = static_cast<std::uint64_t>(file.mtime_s);
  switch (kind) {
    case EtagKind::kInode:
      return quoted_etag(!file.settled, {file.inode, file.size, mtime_s, file.mtime_ns,
                                         static_cast<std::uint64_t>(file.ctime_s), file.ctime_ns});
    case EtagKind::kMtime:
      return quoted_etag(!file.settled || file.mtime_ns == 0, {file.size, mtime_s, file.mtime_ns});
    case EtagKind::kContent:
      break;
  }
  if (file.content_digest.size() < kDigestBytes) return {};
  std::string etag = file.settled ? "\"" : "W/\"";
  append_base64(etag, file.content_digest.substr(0, kDigestBytes), Base64::kUrl);
  etag += '"';
  return etag;
}

http::Validators static_validators(const FileFacts& file, std::string_view etag, std::int64_t now) {
  return {etag, std::min(file.mtime_s, now), file.settled && file.mtime_s < now};
}

StaticDecision decide_static(const http::RequestHead& request, const http::Validators& validators,
                             std::uint64_t size, std::int64_t now) {
  switch (http::evaluate_preconditions(request.fields, true, true, validators, now)) {
    case http::Precondition::kNotModified:
      return {304, {}};
    case http::Precondition::kFailed:
      return {412, {}};
    case http::Precondition::kProceed:
      break;
  }
  http::RangeChoice range = http::requested_range(request, validators, size, now);
  switch (range.kind) {
    case http::RangeChoice::Kind::kParts:
      return {206, std::move(range)};
    case http::RangeChoice::Kind::kUnsatisfiable:
      return {416, std::move(range)};
    case http::RangeChoice::Kind::kWhole:
      break;
  }
  return {};
}

http::ResponseFields static_fields(const FileFacts& file, const http::Validators& validators) {
  using http::FieldId;
  http::ResponseFields fields;
  fields.add(FieldId::kContentType, file.content_type);
  char date[http::kHttpDateSize];
  http::format_http_date(validators.last_modified, date);
  fields.add(FieldId::kLastModified, {date, sizeof date});
  if (!validators.etag.empty()) fields.add(FieldId::kEtag, validators.etag);
  if (!file.cache_control.empty()) fields.add(FieldId::kCacheControl, file.cache_control);
  // Plain bytes of such a type vary too (RFC 9110 12.5.5).
  if (file.varies) fields.add(FieldId::kVary, http::field_name(FieldId::kAcceptEncoding));
  if (file.coding != http::Coding::kIdentity) {
    fields.add(FieldId::kContentEncoding, http::coding_token(file.coding));
  }
  fields.add(FieldId::kAcceptRanges, "bytes");
  if (!file.attachment.empty()) {
    fields.add(http::kContentDisposition, http::attachment(file.attachment));
  }
  if (file.chosen_by_accept) fields.add_member(FieldId::kVary, "accept");  // RFC 9110 12.5.5
  return fields;
}

bool is_navigation(const http::RequestHead& request) {
  if (request.path.substr(request.path.rfind('/')).find('.') != std::string_view::npos) {
    return false;
  }
  for (const http::FieldView& field : request.fields) {
    if (field.name != "accept") continue;
    http::ListCursor ranges(field.value);
    std::string_view range;
    while (ranges.next(range)) {
      if (is_html_wanted(range)) return true;
    }
  }
  return false;
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
