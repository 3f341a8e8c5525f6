#include "worker/http/cors.h"

#include <utility>

#include "worker/http/error_response.h"

namespace servery::http {
namespace {

constexpr std::string_view kAllowOrigin = "access-control-allow-origin";
constexpr std::string_view kAllowCredentials = "access-control-allow-credentials";
constexpr std::string_view kRequestMethod = "access-control-request-method";
constexpr std::string_view kRequestPrivateNetwork = "access-control-request-private-network";

std::string join(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

PreparedRef make_preflight(const CorsRules& rules, MethodSet methods, const HeaderPolicy& policy,
                           bool private_network) {
  ResponseHead head;
  head.status = 204;
  head.fields.add(FieldId::kAllow, allow_value(methods));
  head.fields.add("access-control-allow-methods", allow_value(methods));
  if (!rules.allowed_headers.empty()) {
    head.fields.add("access-control-allow-headers", join(rules.allowed_headers));
  }
  if (rules.max_age.count() > 0) {
    head.fields.add("access-control-max-age", std::to_string(rules.max_age.count()));
  }
  if (private_network) head.fields.add("access-control-allow-private-network", "true");
  return make_prepared(std::move(head), {}, &policy);
}

}  // namespace

std::optional<Method> preflight_method(const RequestHead& request) {
  if (request.method != Method::kOptions || !request.fields.has(FieldId::kOrigin)) return {};
  const FieldView* const asked = request.fields.find(kRequestMethod);
  if (asked == nullptr) return {};
  return parse_method(asked->value).value_or(Method::kUnknown);
}

void add_cors_defaults(HeaderPolicy& policy, const CorsRules& rules) {
  if (rules.any_origin()) {
    policy.defaults.push_back({std::string(kAllowOrigin), "*"});
  } else {
    policy.vary = "Origin";
  }
  if (!rules.exposed_headers.empty()) {
    policy.defaults.push_back({"access-control-expose-headers", join(rules.exposed_headers)});
  }
}

Cors::Cors(const CorsRules& rules, MethodSet methods, const HeaderPolicy& policy)
    : preflight_(make_preflight(rules, methods, policy, false)),
      refused_(make_options(methods, &policy)) {
  if (rules.private_network) private_preflight_ = make_preflight(rules, methods, policy, true);
  if (rules.any_origin()) return;
  for (const std::string& name : rules.origins) {
    Origin origin{name, {}};
    origin.fields.add(kAllowOrigin, name);
    if (rules.credentials) origin.fields.add(kAllowCredentials, "true");
    origins_.push_back(std::move(origin));
  }
}

const ResponseFields* Cors::fields_for(const RequestFields& request) const {
  if (origins_.empty() || request.count(FieldId::kOrigin) != 1) return nullptr;
  const std::string_view asking = request.find(FieldId::kOrigin)->value;
  for (const Origin& origin : origins_) {
    if (origin.name == asking) return &origin.fields;
  }
  return nullptr;
}

const PreparedRef& Cors::preflight(const RequestHead& request) const {
  if (!origins_.empty() && fields_for(request.fields) == nullptr) return refused_;
  const bool is_private = request.fields.find(kRequestPrivateNetwork) != nullptr;
  return is_private && private_preflight_ ? private_preflight_ : preflight_;
}

}  // namespace servery::http
