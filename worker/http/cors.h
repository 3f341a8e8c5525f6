// Cross-origin requests (Fetch standard, "CORS protocol"; Private Network Access): which origins
// may read a route's answers, and the answer to a preflight. Built once per route; pure. A
// preflight carries no credentials by definition, so it is answered before authentication and
// before any limit counts it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "worker/http/message.h"

namespace servery::http {

struct CorsRules {
  std::vector<std::string> origins;  // "https://app.example.org", lowercase; {"*"}: any
  std::vector<std::string> allowed_headers;
  std::vector<std::string> exposed_headers;
  bool credentials = false;  // never with "*": the configuration refuses it
  bool private_network = false;
  std::chrono::seconds max_age{0};

  bool any_origin() const { return origins.size() == 1 && origins.front() == "*"; }
};

// The method a preflight asks for; nullopt: the request is no preflight.
std::optional<Method> preflight_method(const RequestHead& request);

// What each answer of the route carries, whoever asks: `*`, or Vary where the answer depends on
// the origin; the names scripts may read.
void add_cors_defaults(HeaderPolicy& policy, const CorsRules& rules);

class Cors {
 public:
  // `policy`: the route's, with add_cors_defaults; used for the preflights, which are made here.
  Cors(const CorsRules& rules, MethodSet methods, const HeaderPolicy& policy);

  // What the answer to this request carries besides; null: no origin, or one that is not allowed.
  const ResponseFields* fields_for(const RequestFields& request) const;
  const PreparedRef& preflight(const RequestHead& request) const;

 private:
  struct Origin {
    std::string name;
    ResponseFields fields;
  };
  std::vector<Origin> origins_;  // empty: any
  PreparedRef preflight_;
  PreparedRef private_preflight_;  // for a page that is not on the private network; may be null
  PreparedRef refused_;            // an origin that is not allowed: nothing is
};

}  // namespace servery::http
