// Header fields of requests and responses (RFC 9110 section 5). Pure values; one worker thread.
// A request's fields are views into its head (FieldView), a response's own their text
// (ResponseFields). Names are stored lowercase. Fields the server itself reads are known by id, so
// that a lookup compares one byte instead of a name.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "worker/http/error_pages.h"

namespace servery::http {

// Every field a rule of the server reads or writes. kOther: any other name.
enum class FieldId : std::uint8_t {
  kOther,
  kAcceptEncoding,
  kAcceptRanges,
  kAllow,
  kAuthorization,
  kCacheControl,
  kConnection,
  kContentDigest,
  kContentEncoding,
  kContentLength,
  kContentRange,
  kContentType,
  kDate,
  kEtag,
  kExpect,
  kForwarded,
  kHost,
  kIfMatch,
  kIfModifiedSince,
  kIfNoneMatch,
  kIfRange,
  kIfUnmodifiedSince,
  kKeepAlive,
  kLastModified,
  kLocation,
  kOrigin,
  kRange,
  kReprDigest,
  kRetryAfter,
  kServer,
  kTe,
  kTrailer,
  kTransferEncoding,
  kUpgrade,
  kVary,
  kWantContentDigest,
  kWantReprDigest,
  kWwwAuthenticate,
  kXForwardedFor,
  kXForwardedHost,
  kXForwardedProto,
};

// The id of a lowercase name.
FieldId field_id(std::string_view lowercase_name);
std::string_view field_name(FieldId id);  // lowercase; empty for kOther

struct FieldView {
  FieldId id = FieldId::kOther;
  std::string_view name;   // lowercase
  std::string_view value;  // without surrounding OWS
};

// Request fields in order of arrival. The views live as long as the head's bytes (see RequestHead).
// Cleared and reused: no allocation per request once the capacity has settled.
class RequestFields {
 public:
  void clear() {
    list_.clear();
    present_ = 0;
  }
  void add(FieldView field) {
    list_.push_back(field);
    present_ |= bit(field.id);
  }
  // Whether a field with that id is there, in one test.
  bool has(FieldId id) const { return (present_ & bit(id)) != 0; }
  // Whether any field of a set made with FieldIds is there.
  bool has_any(std::uint64_t ids) const { return (present_ & ids) != 0; }
  static constexpr std::uint64_t bit(FieldId id) {
    return std::uint64_t{1} << static_cast<unsigned>(id);
  }
  // The first field with that id, or nullptr.
  const FieldView* find(FieldId id) const;
  const FieldView* find(std::string_view lowercase_name) const;
  std::size_t count(FieldId id) const;
  std::size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }
  // Transports and retain only: views may move, ids may not change.
  std::vector<FieldView>& mutable_list() { return list_; }

 private:
  std::vector<FieldView> list_;
  std::uint64_t present_ = 0;
};

struct ResponseField {
  std::string name;  // lowercase; transports write it as their protocol does
  std::string value;
};

// Response fields in the order they are sent. Never holds Date, Connection, Transfer-Encoding or
// Keep-Alive: those are the transport's. Content-Length is here (the exchange adds it).
class ResponseFields {
 public:
  void add(std::string_view name, std::string_view value);
  void add(FieldId id, std::string_view value) { add(field_name(id), value); }
  void set(std::string_view name, std::string_view value);  // replaces all of that name
  void set(FieldId id, std::string_view value) { set(field_name(id), value); }
  // To the list in the first field of that name; a field of its own where there is none.
  void add_member(FieldId id, std::string_view member);
  void remove(std::string_view name);
  const std::string* find(std::string_view name) const;  // the first, or nullptr
  const std::string* find(FieldId id) const { return find(field_name(id)); }
  std::size_t size() const { return list_.size(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<ResponseField> list_;
};

struct PreparedResponse;

// The fields every answer of a route carries, whatever gives it: the server's own (policy_headers,
// cors) and the configured `headers: {set, add, remove}`, already merged with the top level's.
// Applied in the order of the members. Names lowercase.
struct HeaderPolicy {
  std::vector<ResponseField> defaults;  // where the answer has none of that name
  std::string vary;                     // members for Vary; empty: none
  std::vector<std::string> remove;
  std::vector<ResponseField> set;
  std::vector<ResponseField> add;
  ErrorPages error_pages;   // in place of the short texts of errors
  bool restricted = false;  // not for everyone: Cache-Control is made private
  // Error responses already made with this policy; error_response's own.
  mutable std::vector<std::shared_ptr<const PreparedResponse>> prepared_errors;

  void apply(ResponseFields& fields) const;
};

}  // namespace servery::http
