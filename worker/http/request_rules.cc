#include "worker/http/request_rules.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "worker/http/host_name.h"
#include "worker/http/syntax.h"
#include "worker/http/target.h"

namespace servery::http {
namespace {

using MaybeRefusal = std::optional<Refusal>;

bool is_http10(const RawHead& raw) { return raw.version_major == 1 && raw.version_minor == 0; }

MaybeRefusal check_method(std::string_view token, RequestHead& out) {
  const std::optional<Method> method = parse_method(token);
  if (!method) {
    if (!is_token(token)) return Refusal{400, "method_invalid"};
    return Refusal{501, "method_unknown"};
  }
  if (*method == Method::kConnect || *method == Method::kTrace) {
    return Refusal{501, "method_unsupported"};
  }
  out.method = *method;
  return std::nullopt;
}

// Lowercase and without the root's dot; a view of the host as sent if it is so already.
std::string_view canonical_host(const HostAndPort& sent, std::string& scratch) {
  std::string_view host = sent.host;
  if (host.back() == '.') host.remove_suffix(1);
  if (!sent.has_upper) return host;
  const std::size_t begin = scratch.size();
  for (char c : host) scratch += ascii_lower(c);
  return std::string_view(scratch).substr(begin);
}

// RFC 9112 3.2, 3.3; RFC 9113 8.3.1. An absolute target's authority wins over Host, whose own rules
// hold all the same.
MaybeRefusal check_host(const RawHead& raw, const Target& target, RequestHead& out,
                        std::string& scratch) {
  const std::size_t hosts = raw.fields.count(FieldId::kHost);
  if (hosts > 1) return Refusal{400, "host_repeated"};
  if (hosts == 0 && raw.authority.empty() && !is_http10(raw)) return Refusal{400, "host_missing"};
  HostAndPort split;
  std::string_view authority = raw.authority;
  if (hosts == 1) {
    const std::string_view value = raw.fields.find(FieldId::kHost)->value;
    if (!value.empty() && !split_authority(value, split)) return Refusal{400, "host_invalid"};
    if (!authority.empty() && !equals_ignore_case(authority, value)) {
      return Refusal{400, "host_mismatch"};
    }
    authority = value;
  }
  if (target.is_absolute) authority = target.authority;
  out.authority = authority;
  out.host = {};
  if (authority.empty()) return std::nullopt;
  const bool is_split = hosts == 1 && !target.is_absolute;
  if (!is_split && !split_authority(authority, split)) return Refusal{400, "host_invalid"};
  out.host = canonical_host(split, scratch);
  return std::nullopt;
}

// RFC 9112 6.1: only "chunked", once and last. A coding that is not known is 501, an order that
// leaves the length open is 400.
MaybeRefusal check_transfer_encoding(const RequestFields& fields) {
  bool is_last_chunked = false;
  bool has_other = false;
  std::size_t chunked = 0;
  for (const FieldView& field : fields) {
    if (field.id != FieldId::kTransferEncoding) continue;
    ListCursor members(field.value);
    for (std::string_view member; members.next(member);) {
      is_last_chunked = equals_ignore_case(member, "chunked");
      chunked += is_last_chunked ? 1 : 0;
      has_other |= !is_last_chunked;
    }
  }
  if (chunked == 1 && !has_other) return std::nullopt;
  if (has_other && (is_last_chunked ? chunked == 1 : chunked == 0)) {
    return Refusal{501, "transfer_encoding_unknown"};
  }
  return Refusal{400, "transfer_encoding_invalid"};
}

// RFC 9112 6.3. Repeated or listed lengths are refused even when equal: a recipient in front of us
// may have read another one of them.
MaybeRefusal check_framing(const RawHead& raw, RequestHead& out) {
  out.framing = BodyFraming::kNone;
  out.content_length = 0;
  const bool has_length = raw.fields.has(FieldId::kContentLength);
  if (raw.fields.has(FieldId::kTransferEncoding)) {
    if (has_length) return Refusal{400, "content_length_and_transfer_encoding"};
    if (is_http10(raw)) return Refusal{400, "transfer_encoding_in_http10"};
    out.framing = BodyFraming::kChunked;
    return check_transfer_encoding(raw.fields);
  }
  if (!has_length) return std::nullopt;
  if (raw.fields.count(FieldId::kContentLength) > 1) {
    return Refusal{400, "content_length_repeated"};
  }
  const auto length =
      parse_unsigned<std::uint64_t>(raw.fields.find(FieldId::kContentLength)->value);
  if (!length) return Refusal{400, "content_length_invalid"};
  out.framing = BodyFraming::kLength;
  out.content_length = *length;
  return std::nullopt;
}

// RFC 9110 10.1.1. An HTTP/1.0 client's expectation is ignored, as is one without a body.
MaybeRefusal check_expect(const RawHead& raw, RequestHead& out) {
  out.expect_continue = false;
  if (!raw.fields.has(FieldId::kExpect)) return std::nullopt;
  if (is_http10(raw)) return std::nullopt;
  for (const FieldView& field : raw.fields) {
    if (field.id != FieldId::kExpect) continue;
    ListCursor expectations(field.value);
    for (std::string_view expectation; expectations.next(expectation);) {
      if (!equals_ignore_case(expectation, "100-continue")) {
        return Refusal{417, "expectation_unknown"};
      }
      out.expect_continue = out.has_body();
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> finish_request_head(RawHead& raw, RequestHead& out, std::string& scratch) {
  scratch.clear();
  if (MaybeRefusal refusal = check_method(raw.method, out)) return refusal;
  Target target;
  if (MaybeRefusal refusal = parse_target(raw.target, out.method, target, scratch)) return refusal;
  if (MaybeRefusal refusal = check_host(raw, target, out, scratch)) return refusal;
  if (MaybeRefusal refusal = check_framing(raw, out)) return refusal;
  if (MaybeRefusal refusal = check_expect(raw, out)) return refusal;
  out.target = raw.target;
  out.path = target.path;
  out.raw_path = target.raw_path;
  out.query = target.query;
  out.has_query = target.has_query;
  out.encoded_slash = target.encoded_slash;
  std::swap(out.fields, raw.fields);
  return std::nullopt;
}

}  // namespace servery::http
