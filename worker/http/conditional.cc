#include "worker/http/conditional.h"

#include <optional>

#include "worker/http/date.h"

namespace servery::http {
namespace {

constexpr std::uint64_t kLadder =
    RequestFields::bit(FieldId::kIfMatch) | RequestFields::bit(FieldId::kIfNoneMatch) |
    RequestFields::bit(FieldId::kIfModifiedSince) | RequestFields::bit(FieldId::kIfUnmodifiedSince);

bool is_weak(std::string_view etag) { return etag.starts_with("W/"); }
std::string_view opaque(std::string_view etag) { return is_weak(etag) ? etag.substr(2) : etag; }

bool is_etag_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x21 || (byte >= 0x23 && byte != 0x7f);
}

// Takes one entity tag (RFC 9110 8.8.3) from the front of `text`; empty if there is none. A quoted
// string's rules do not fit here: an entity tag may hold a comma and knows no escapes.
std::string_view take_etag(std::string_view& text) {
  std::size_t at = is_weak(text) ? 2 : 0;
  if (at >= text.size() || text[at] != '"') return {};
  ++at;
  while (at < text.size() && is_etag_char(text[at])) ++at;
  if (at >= text.size() || text[at] != '"') return {};
  const std::string_view etag = text.substr(0, at + 1);
  text.remove_prefix(at + 1);
  return etag;
}

bool skip_separators(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(" \t,");
  text.remove_prefix(first == std::string_view::npos ? text.size() : first);
  return !text.empty();
}

// Whether a list field of entity tags, or "*", names the representation. What follows a malformed
// member is not looked at.
bool list_matches(const RequestFields& fields, FieldId id, bool exists, std::string_view etag,
                  bool (*match)(std::string_view, std::string_view)) {
  for (const FieldView& field : fields) {
    if (field.id != id) continue;
    if (field.value == "*" && exists) return true;
    std::string_view rest = field.value;
    while (skip_separators(rest)) {
      const std::string_view member = take_etag(rest);
      if (member.empty()) break;
      if (exists && match(member, etag)) return true;
    }
  }
  return false;
}

// The date of a field that stands there once and is one (RFC 9110 13.1.3: ignored otherwise).
std::optional<std::int64_t> single_date(const RequestFields& fields, FieldId id, std::int64_t now) {
  if (fields.count(id) != 1) return std::nullopt;
  return parse_http_date(fields.find(id)->value, now);
}

}  // namespace

bool etags_match_strong(std::string_view a, std::string_view b) {
  return !a.empty() && !is_weak(a) && a == b;
}

bool etags_match_weak(std::string_view a, std::string_view b) {
  return !a.empty() && opaque(a) == opaque(b);
}

bool has_preconditions(const RequestFields& fields) { return fields.has_any(kLadder); }

Precondition evaluate_preconditions(const RequestFields& fields, bool is_get_or_head, bool exists,
                                    const Validators& validators, std::int64_t now) {
  if (!has_preconditions(fields)) return Precondition::kProceed;
  // RFC 9110 13.2.2, steps 1 and 2.
  if (fields.has(FieldId::kIfMatch)) {
    if (!list_matches(fields, FieldId::kIfMatch, exists, validators.etag, etags_match_strong)) {
      return Precondition::kFailed;
    }
  } else if (exists && validators.has_last_modified) {
    const auto date = single_date(fields, FieldId::kIfUnmodifiedSince, now);
    if (date && validators.last_modified > *date) return Precondition::kFailed;
  }
  // Steps 3 and 4.
  if (fields.has(FieldId::kIfNoneMatch)) {
    if (list_matches(fields, FieldId::kIfNoneMatch, exists, validators.etag, etags_match_weak)) {
      return is_get_or_head ? Precondition::kNotModified : Precondition::kFailed;
    }
  } else if (is_get_or_head && exists && validators.has_last_modified) {
    const auto date = single_date(fields, FieldId::kIfModifiedSince, now);
    if (date && validators.last_modified <= *date) return Precondition::kNotModified;
  }
  return Precondition::kProceed;
}

bool if_range_holds(const RequestFields& fields, const Validators& validators, std::int64_t now) {
  if (!fields.has(FieldId::kIfRange)) return true;
  if (fields.count(FieldId::kIfRange) > 1) return false;
  std::string_view value = fields.find(FieldId::kIfRange)->value;
  if (is_weak(value) || value.starts_with('"')) {
    const std::string_view etag = take_etag(value);
    return value.empty() && etags_match_strong(etag, validators.etag);
  }
  const auto date = parse_http_date(value, now);
  return date && validators.last_modified_is_strong && *date == validators.last_modified;
}

}  // namespace servery::http
