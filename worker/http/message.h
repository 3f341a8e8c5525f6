// The one request and response model of all transports (RFC 9110). Pure values; one worker thread.
// A transport builds a RawHead and TransportFacts; finish_request_head() (request_rules) checks
// them into a RequestHead; everything behind Exchange::start sees only RequestHead and never the
// protocol version.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "worker/http/fields.h"

namespace servery::http {

// Methods with a meaning to the server. Tokens that are none of these are answered 501, and so are
// CONNECT and TRACE: no tunnel, no echo (RFC 9110 9.3.6, 9.3.8).
enum class Method : std::uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kDelete,
  kConnect,
  kOptions,
  kTrace,
  kPatch,
  kPropfind,
  kProppatch,
  kMkcol,
  kCopy,
  kMove,
  kLock,
  kUnlock,
  kAcl,
  kBind,
  kCheckout,
  kLink,
  kMerge,
  kMkactivity,
  kMkcalendar,
  kMsearch,
  kNotify,
  kPurge,
  kRebind,
  kReport,
  kSearch,
  kSource,
  kSubscribe,
  kUnbind,
  kUnlink,
  kUnsubscribe,
  kUnknown,
};
std::optional<Method> parse_method(std::string_view token);  // case-sensitive; nullopt: unknown
std::string_view method_name(Method method);

// A set of methods as bits, for routes and Allow.
class MethodSet {
 public:
  constexpr MethodSet() = default;
  constexpr void add(Method m) { bits_ |= bit(m); }
  constexpr bool contains(Method m) const { return (bits_ & bit(m)) != 0; }
  constexpr bool overlaps(MethodSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr void merge(MethodSet other) { bits_ |= other.bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  // All but CONNECT and TRACE, which no request gets past request_rules with.
  static constexpr MethodSet any() {
    MethodSet all;
    all.bits_ = (bit(Method::kUnknown) - 1) & ~bit(Method::kConnect) & ~bit(Method::kTrace);
    return all;
  }

 private:
  static constexpr std::uint64_t bit(Method m) {
    return std::uint64_t{1} << static_cast<unsigned>(m);
  }
  std::uint64_t bits_ = 0;
};

// A refused request: the status and the stable reason code for logs and counters.
struct Refusal {
  std::uint16_t status = 400;
  std::string_view reason;  // a literal, snake_case ("host_missing", "header_too_large")
};

// What a transport read, not yet checked. All views point into one contiguous head block (or are
// literals), owned by the transport until Exchange::retain_head().
struct RawHead {
  std::string_view method;
  std::string_view target;     // origin-, absolute- or asterisk-form
  std::string_view authority;  // :authority of HTTP/2 and 3; empty on HTTP/1
  std::uint8_t version_major = 1;
  std::uint8_t version_minor = 1;
  RequestFields fields;
};

// What a handler may know of the connection: capabilities and identity, never the version's name
// except for logs.
struct TransportFacts {
  std::string_view protocol;  // "HTTP/1.1", for logs only
  std::string_view scheme;    // "http" or "https"
  std::string_view peer;      // who connected, without port; empty on Unix sockets
  std::uint16_t peer_port = 0;
  bool can_send_informational = true;  // HTTP/1.1 and later
  bool can_chunk = true;               // a body of unknown length can be framed
};

enum class BodyFraming : std::uint8_t { kNone, kLength, kChunked };

// A checked request. Views point into the head block or into `storage`; valid while the exchange
// lives.
struct RequestHead {
  Method method = Method::kUnknown;
  std::string_view target;  // as sent
  std::string_view path;  // decoded once, dot segments removed, starts with '/'; "*" for OPTIONS *
  std::string_view raw_path;  // the path as sent, for redirects
  std::string_view query;     // after '?', as sent, without it; see has_query
  bool has_query = false;
  bool encoded_slash = false;  // `path` holds a "%2F" that is data, not a separator
  std::string_view host;       // lowercase, without port and trailing dot; empty if none was sent
  std::string_view authority;  // host and port as sent
  BodyFraming framing = BodyFraming::kNone;
  std::uint64_t content_length = 0;  // for kLength
  bool expect_continue = false;
  RequestFields fields;

  bool has_body() const {
    return framing == BodyFraming::kChunked ||
           (framing == BodyFraming::kLength && content_length > 0);
  }
};

struct ResponseHead {
  int status = 200;
  ResponseFields fields;
};

std::string_view reason_phrase(int status);
// 1xx, 204 and 304 have no body; neither has an answer to HEAD (RFC 9110 6.4.1).
bool status_has_body(int status);

// A response made once and sent many times: hot cache entries, `respond` routes, error bodies. The
// fields include Content-Length and the route's HeaderPolicy, but neither Date nor Connection.
// `wire` is the encoding of status line and fields that a transport made on first use (the HTTP/1
// text; later an HPACK block); it belongs to the codec that fills it and is never read by anyone
// else. Immutable apart from `wire`; shared within one worker thread only.
struct PreparedResponse {
  int status = 200;
  ResponseFields fields;
  std::string body;                         // empty for 304 and for HEAD-only heads
  std::shared_ptr<const std::string> page;  // in place of `body`, where many answers share one
  std::string_view content() const { return page != nullptr ? *page : body; }
  struct WireForms {
    std::string h1;
  };
  mutable WireForms wire;
};
using PreparedRef = std::shared_ptr<const PreparedResponse>;

}  // namespace servery::http
