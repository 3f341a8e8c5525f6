// What proxies write about the request they pass on: Forwarded (RFC 7239) and the lists in
// X-Forwarded-*. Read from the end, since only what the nearest proxy wrote is sure to be whole:
// what stands before it may be any client's, an open quote included. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "common/base/cidr.h"

namespace servery::http {

// One forwarded-element; what it does not have is empty. Quotes are taken off.
struct ForwardedElement {
  std::string_view node;   // for
  std::string_view proto;  // proto
  std::string_view host;   // host
};

// The elements of one field line, the last first. A value with a quoted-pair is malformed: nothing
// that these parameters may say needs one.
class ForwardedCursor {
 public:
  enum class Step { kElement, kEnd, kMalformed };

  explicit ForwardedCursor(std::string_view value) : rest_(value) {}
  // kMalformed is the last answer. Empty elements are passed over (RFC 9110 5.6.1.2).
  Step previous(ForwardedElement& element);

 private:
  Step read_element(ForwardedElement& element);
  bool read_pair(ForwardedElement& element);
  std::optional<std::string_view> read_value();
  std::string_view read_token();
  void drop_spaces();
  bool take(char c);

  std::string_view rest_;  // not yet read; shrinks from its end
  unsigned seen_ = 0;      // parameters of the element, as bits
};

// Members of X-Forwarded-For and its like, the last first: what stands between commas, without
// spaces around it. Empty ones are passed over.
class ReverseListCursor {
 public:
  explicit ReverseListCursor(std::string_view value) : rest_(value) {}
  bool previous(std::string_view& member);

 private:
  std::string_view rest_;
};

// Where a request came from as a proxy names it (RFC 7239 6). The port is checked and dropped.
struct ForwardedNode {
  enum class Kind {
    kAddress,
    kHidden,  // "unknown", "_name"
    kMalformed,
  };
  Kind kind = Kind::kMalformed;
  IpAddress address;  // kAddress
};
// Of Forwarded: IPv6 in brackets; a port may be hidden too.
ForwardedNode parse_forwarded_node(std::string_view node);
// Of X-Forwarded-For: an address, with a port if IPv6 is in brackets; "unknown".
ForwardedNode parse_x_forwarded_node(std::string_view node);

// "http" or "https" as literals, whatever the case; empty for any other.
std::string_view forwarded_scheme(std::string_view proto);

}  // namespace servery::http
