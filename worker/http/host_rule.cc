#include "worker/http/host_rule.h"

#include <algorithm>
#include <utility>

#include "worker/http/host_name.h"

namespace servery::http {
namespace {

// "name:port" -> "name"; a bracketed literal keeps its brackets.
std::string without_port(const std::string& host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t colon = host.rfind(':');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

bool is_sub_domain(std::string_view host, std::string_view suffix) {
  return host.size() > suffix.size() && host.ends_with(suffix);
}

}  // namespace

HostRule::HostRule(HostRuleSettings settings)
    : local_names_(std::move(settings.local_names)),
      canonical_host_(std::move(settings.canonical_host)),
      canonical_name_(without_port(canonical_host_)),
      any_(settings.hosts.empty() && !settings.local_guard),
      guard_(settings.hosts.empty() && settings.local_guard) {
  for (std::string& host : settings.hosts) {
    if (host == "*") {
      any_ = true;
    } else if (host.starts_with("*.")) {
      suffixes_.push_back(host.substr(1));
    } else {
      exact_.push_back(std::move(host));
    }
  }
  std::sort(exact_.begin(), exact_.end());
}

bool HostRule::is_listed(std::string_view host) const {
  if (std::binary_search(exact_.begin(), exact_.end(), host)) return true;
  return std::any_of(suffixes_.begin(), suffixes_.end(),
                     [host](const std::string& suffix) { return is_sub_domain(host, suffix); });
}

bool HostRule::is_local(std::string_view host) const {
  if (host == "localhost" || is_sub_domain(host, ".localhost") || is_ip_literal(host)) return true;
  return std::find(local_names_.begin(), local_names_.end(), host) != local_names_.end();
}

HostRule::Verdict HostRule::check(std::string_view host) const {
  if (!last_served_.empty() && host == last_served_) return Verdict::kServe;
  const Verdict verdict = judge(host);
  if (verdict == Verdict::kServe) last_served_ = host;
  return verdict;
}

HostRule::Verdict HostRule::judge(std::string_view host) const {
  const bool is_canonical = !canonical_name_.empty() && host == canonical_name_;
  if (!is_canonical && !any_) {
    // Against DNS rebinding: a browser always names the host its page came from, so a request
    // without a name (RFC 9112 3.2: HTTP/1.0 need not send one) is none of a page's.
    if (guard_ && !host.empty() && !is_local(host)) return Verdict::kNotAllowed;
    if (!guard_ && !is_listed(host)) return Verdict::kUnknown;
  }
  // A request without a name has none that could be redirected.
  if (canonical_name_.empty() || is_canonical || host.empty()) return Verdict::kServe;
  return Verdict::kRedirect;
}

}  // namespace servery::http
