#include "worker/http/policy_headers.h"

#include <algorithm>

#include "common/base/text.h"

namespace servery::http {
namespace {

// A document of an unknown origin: no script, no form, no plug-in, no cookies of this origin
// (`sandbox` gives it an opaque one); pictures, sound and styles of the same place still show.
constexpr std::string_view kSandbox =
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; "
    "style-src 'self' 'unsafe-inline'; font-src 'self' data:";

bool opens_to_shared_caches(std::string_view name) {
  return equals_ignore_case(name, "public") || equals_ignore_case(name, "s-maxage") ||
         equals_ignore_case(name, "proxy-revalidate");
}

}  // namespace

void add_security_defaults(HeaderPolicy& policy, bool sandbox) {
  policy.defaults.push_back({"x-content-type-options", "nosniff"});
  if (sandbox) policy.defaults.push_back({"content-security-policy", std::string(kSandbox)});
}

std::string private_cache_control(std::string_view value) {
  std::string out;
  bool is_closed = false;
  while (!value.empty()) {
    // No directive that matters has a comma in its value; a quoted one is split and kept whole.
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view directive = trim_ows(value.substr(0, comma));
    value.remove_prefix(std::min(comma + 1, value.size()));
    const std::string_view name = directive.substr(0, directive.find('='));
    if (directive.empty() || opens_to_shared_caches(name)) continue;
    // `private="field"` closes only that field.
    is_closed |= equals_ignore_case(directive, "private") || equals_ignore_case(name, "no-store");
    out.append(out.empty() ? "" : ", ").append(directive);
  }
  if (!is_closed) out.insert(0, out.empty() ? "private" : "private, ");
  return out;
}

}  // namespace servery::http
