// The text of `redirect.to` with {host} {path} {rest} {query}, expanded for a request. Pure.
// Without {path} and {rest} the rest behind the route's path is appended, without {query} the
// query: "/old" -> "/new" sends /old/x?y to /new/x?y. What comes from the request is
// percent-encoded where it was decoded and holds no control character (request_rules), so no field
// can be injected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "worker/http/message.h"

namespace servery::features {

class RedirectTarget {
 public:
  // kInvalid: an unknown {name}, a character that a Location may not hold, a {query} that no '?'
  // stands before (it could name another host), or a text that starts with none of "/", "http://",
  // "https://", {path}, {rest}. What `to` does not name is added where it belongs in a URL: the
  // rest to the path, the query before the fragment (RFC 3986 3).
  static Result<RedirectTarget> parse(std::string_view to);
  // {host} is used: a request without one cannot be redirected.
  bool needs_host() const { return names_host_; }
  // `rest` as RouteMatch has it.
  std::string expand(const http::RequestHead& request, std::string_view rest) const;

 private:
  // kAddedQuery brings its own '?' or '&'.
  enum class Kind { kText, kHost, kPath, kRest, kQuery, kAddedQuery };
  struct Part {
    Kind kind;
    std::string text;  // kText
  };
  // Before the first of `stops` in the text, else at the end.
  void insert_before(std::string_view stops, Kind kind);

  std::vector<Part> parts_;
  bool names_host_ = false;
};

}  // namespace servery::features
