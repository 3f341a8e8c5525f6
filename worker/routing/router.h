// Host, path and method -> route. Immutable after create(); worker thread only.
// Order of choice: exact host, then "*.host" (longest first), then routes without host; within that
// the longest path that equals the request path or ends at a '/' in it, "=/x" before "/x"; then the
// method. A path that matches under no method of its routes is 405, never a shorter path's route.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "worker/http/message.h"

namespace servery::routing {

struct RouteKey {
  std::string host;  // lowercase; "" every host, "*.example.org" its sub-domains
  std::string path = "/";
  bool exact = false;  // "=/x"
  http::MethodSet methods;
};

class Router {
 public:
  enum class Outcome : std::uint8_t { kFound, kMethodNotAllowed, kNotFound };
  struct Match {
    Outcome outcome = Outcome::kNotFound;
    std::uint32_t route = 0;    // index into the keys given to create(); also set, to one of the
                                // path's routes, for kMethodNotAllowed
    std::uint32_t matched = 0;  // bytes of the path that the route's own path covers
    std::uint32_t place = 0;    // kFound, kMethodNotAllowed: which of places()
  };
  // All routes of one host and path; an exact place holds the prefix routes of its path too.
  struct Place {
    std::string path;
    std::vector<std::uint32_t> routes;  // exact ones first
    http::MethodSet methods;            // the union, for Allow
  };

  // kInvalid: two routes with the same host, path and an overlapping method.
  static Result<Router> create(const std::vector<RouteKey>& keys);

  Match match(std::string_view host, std::string_view path, http::Method method) const;
  const std::vector<Place>& places() const { return places_; }
  // Every method some route takes, for `OPTIONS *`.
  http::MethodSet all_methods() const { return all_methods_; }

 private:
  struct Entry {            // a slot of a group's open-addressing table
    std::string_view path;  // of a place
    std::uint32_t hash = 0;
    std::uint32_t prefix = kNone;  // places that match this path and all below
    std::uint32_t exact = kNone;   // places that match this path alone
  };
  // The routes of one host pattern.
  struct Group {
    std::string host;
    std::uint32_t root = kNone;  // the place of "/"
    std::uint32_t longest = 0;   // no path in `table` is longer
    std::vector<Entry> table;    // size a power of two, or empty
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::vector<Place> places_;
  std::vector<Group> hosts_;      // exact, sorted by host
  std::vector<Group> wildcards_;  // ".example.org", longest first
  Group any_;
  http::MethodSet all_methods_;
  std::vector<http::MethodSet> methods_;  // by route
};

}  // namespace servery::routing
