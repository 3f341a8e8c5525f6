#include "worker/http/fields.h"

#include <algorithm>
#include <cstring>

#include "worker/http/negotiate.h"
#include "worker/http/policy_headers.h"
#include "worker/http/syntax.h"

namespace servery::http {
namespace {

constexpr std::array<std::string_view, 41> kNames = {
    "",
    "accept-encoding",
    "accept-ranges",
    "allow",
    "authorization",
    "cache-control",
    "connection",
    "content-digest",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "date",
    "etag",
    "expect",
    "forwarded",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "last-modified",
    "location",
    "origin",
    "range",
    "repr-digest",
    "retry-after",
    "server",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "want-content-digest",
    "want-repr-digest",
    "www-authenticate",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
};
static_assert(kNames.size() == static_cast<std::size_t>(FieldId::kXForwardedProto) + 1);

// `N` is known in each branch of field_id, so this is one or two machine compares.
template <std::size_t N>
bool is(const char* name, const char (&literal)[N]) {
  return std::memcmp(name, literal, N - 1) == 0;
}

FieldId field_id_of_13(const char* name) {
  if (is(name, "cache-control")) return FieldId::kCacheControl;
  if (is(name, "if-none-match")) return FieldId::kIfNoneMatch;
  if (is(name, "last-modified")) return FieldId::kLastModified;
  if (is(name, "content-range")) return FieldId::kContentRange;
  if (is(name, "authorization")) return FieldId::kAuthorization;
  return is(name, "accept-ranges") ? FieldId::kAcceptRanges : FieldId::kOther;
}

FieldId field_id_of_8(const char* name) {
  if (is(name, "if-range")) return FieldId::kIfRange;
  if (is(name, "if-match")) return FieldId::kIfMatch;
  return is(name, "location") ? FieldId::kLocation : FieldId::kOther;
}

FieldId field_id_of_4(const char* name) {
  if (is(name, "host")) return FieldId::kHost;
  if (is(name, "etag")) return FieldId::kEtag;
  if (is(name, "date")) return FieldId::kDate;
  return is(name, "vary") ? FieldId::kVary : FieldId::kOther;
}

}  // namespace

FieldId field_id(std::string_view lowercase_name) {
  const char* name = lowercase_name.data();
  switch (lowercase_name.size()) {
    case 2:
      return is(name, "te") ? FieldId::kTe : FieldId::kOther;
    case 4:
      return field_id_of_4(name);
    case 5:
      if (is(name, "range")) return FieldId::kRange;
      return is(name, "allow") ? FieldId::kAllow : FieldId::kOther;
    case 6:
      if (is(name, "expect")) return FieldId::kExpect;
      if (is(name, "origin")) return FieldId::kOrigin;
      return is(name, "server") ? FieldId::kServer : FieldId::kOther;
    case 7:
      if (is(name, "upgrade")) return FieldId::kUpgrade;
      return is(name, "trailer") ? FieldId::kTrailer : FieldId::kOther;
    case 8:
      return field_id_of_8(name);
    case 9:
      return is(name, "forwarded") ? FieldId::kForwarded : FieldId::kOther;
    case 10:
      if (is(name, "connection")) return FieldId::kConnection;
      return is(name, "keep-alive") ? FieldId::kKeepAlive : FieldId::kOther;
    case 11:
      if (is(name, "repr-digest")) return FieldId::kReprDigest;
      return is(name, "retry-after") ? FieldId::kRetryAfter : FieldId::kOther;
    case 12:
      return is(name, "content-type") ? FieldId::kContentType : FieldId::kOther;
    case 13:
      return field_id_of_13(name);
    case 14:
      if (is(name, "content-digest")) return FieldId::kContentDigest;
      return is(name, "content-length") ? FieldId::kContentLength : FieldId::kOther;
    case 15:
      if (is(name, "accept-encoding")) return FieldId::kAcceptEncoding;
      return is(name, "x-forwarded-for") ? FieldId::kXForwardedFor : FieldId::kOther;
    case 16:
      if (is(name, "want-repr-digest")) return FieldId::kWantReprDigest;
      if (is(name, "www-authenticate")) return FieldId::kWwwAuthenticate;
      if (is(name, "content-encoding")) return FieldId::kContentEncoding;
      return is(name, "x-forwarded-host") ? FieldId::kXForwardedHost : FieldId::kOther;
    case 17:
      if (is(name, "if-modified-since")) return FieldId::kIfModifiedSince;
      if (is(name, "transfer-encoding")) return FieldId::kTransferEncoding;
      return is(name, "x-forwarded-proto") ? FieldId::kXForwardedProto : FieldId::kOther;
    case 19:
      if (is(name, "want-content-digest")) return FieldId::kWantContentDigest;
      return is(name, "if-unmodified-since") ? FieldId::kIfUnmodifiedSince : FieldId::kOther;
    default:
      return FieldId::kOther;
  }
}

std::string_view field_name(FieldId id) { return kNames[static_cast<std::size_t>(id)]; }

const FieldView* RequestFields::find(FieldId id) const {
  if (!has(id)) return nullptr;
  for (const FieldView& field : list_) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

const FieldView* RequestFields::find(std::string_view lowercase_name) const {
  for (const FieldView& field : list_) {
    if (field.name == lowercase_name) return &field;
  }
  return nullptr;
}

std::size_t RequestFields::count(FieldId id) const {
  if (!has(id)) return 0;
  return static_cast<std::size_t>(
      std::count_if(list_.begin(), list_.end(), [id](const FieldView& f) { return f.id == id; }));
}

void ResponseFields::add(std::string_view name, std::string_view value) {
  list_.push_back({std::string(name), std::string(value)});
}

void ResponseFields::set(std::string_view name, std::string_view value) {
  const auto same = [name](const ResponseField& field) { return field.name == name; };
  const auto first = std::find_if(list_.begin(), list_.end(), same);
  if (first == list_.end()) {
    add(name, value);
    return;
  }
  first->value = value;
  list_.erase(std::remove_if(first + 1, list_.end(), same), list_.end());
}

void ResponseFields::remove(std::string_view name) {
  std::erase_if(list_, [name](const ResponseField& field) { return field.name == name; });
}

const std::string* ResponseFields::find(std::string_view name) const {
  for (const ResponseField& field : list_) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

void ResponseFields::add_member(FieldId id, std::string_view member) {
  const auto same = [name = field_name(id)](const ResponseField& field) {
    return field.name == name;
  };
  const auto first = std::find_if(list_.begin(), list_.end(), same);
  if (first == list_.end()) {
    add(id, member);
  } else {
    first->value.append(", ").append(member);
  }
}

void HeaderPolicy::apply(ResponseFields& fields) const {
  for (const ResponseField& field : defaults) {
    if (fields.find(field.name) == nullptr) fields.add(field.name, field.value);
  }
  ListCursor members(vary);
  for (std::string_view member; members.next(member);) vary_on(fields, member);
  for (const std::string& name : remove) fields.remove(name);
  for (const ResponseField& field : set) fields.set(field.name, field.value);
  for (const ResponseField& field : add) fields.add(field.name, field.value);
  if (!restricted) return;
  const std::string* const present = fields.find(FieldId::kCacheControl);
  fields.set(FieldId::kCacheControl, private_cache_control(present ? *present : std::string()));
}

}  // namespace servery::http
