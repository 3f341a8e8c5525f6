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
    std::uint32_t matched = 0;  // bytes of the path that the route covers; the rest starts with '/'
    std::uint32_t place = 0;    // kFound, kMethodNotAllowed: which of places()
  };
  // All routes of one host and path; an exact place holds the prefix routes of its path too.
  struct Place {
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
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A slot of a group's open-addressing table; free while `path` is empty.
  struct Entry {
    std::string path;
    std::uint32_t hash = 0;
    std::uint32_t prefix = kNone;  // the place that matches this path and all below
    std::uint32_t exact = kNone;   // the place that matches this path alone
  };
  // The routes of one host pattern.
  struct Group {
    std::string host;            // "", "www.example.org", ".example.org" for "*.example.org"
    std::uint32_t root = kNone;  // the place of "/"
    std::size_t longest = 0;     // no path in `table` is longer
    std::vector<Entry> table;    // free slots always; the size a power of two, or empty
  };

  Status add(const RouteKey& key, std::uint32_t route);
  Group& group_for(const std::string& host);
  static Entry& entry_for(Group& group, std::string_view path);
  void merge_exact_places();
  bool match_group(const Group& group, std::string_view path, Match& out) const;
  static const Entry* find(const Group& group, std::string_view path, std::uint32_t hash);
  void choose_method(http::Method method, Match& out) const;

  std::vector<Place> places_;
  std::vector<Group> hosts_;      // exact, sorted by host
  std::vector<Group> wildcards_;  // longest first
  Group any_;
  std::vector<http::MethodSet> methods_;  // by route
  http::MethodSet all_methods_;
};

}  // namespace servery::routing
