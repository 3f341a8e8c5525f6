// Which names this service answers for (`hosts`, `canonical_host`, and the local profile's guard
// against DNS rebinding). Immutable after build; worker thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servery::http {

struct HostRuleSettings {
  std::vector<std::string> hosts{};  // lowercase; "*.x" and "*" allowed
  std::string canonical_host{};      // lowercase, perhaps with ":port"; empty: none
  bool local_guard = false;          // profile local: with `hosts` empty only local names or none
  std::vector<std::string> local_names{};  // this machine's names and those of --host; lowercase
};

class HostRule {
 public:
  enum class Verdict : std::uint8_t {
    kServe,
    kUnknown,     // 404: not one of `hosts`
    kNotAllowed,  // 403 host_not_allowed: the local guard
    kRedirect,    // 308 to the canonical host
  };

  explicit HostRule(HostRuleSettings settings);
  // `host` as in RequestHead: lowercase, without port; empty if none was sent.
  Verdict check(std::string_view host) const;
  const std::string& canonical_host() const { return canonical_host_; }

 private:
  Verdict judge(std::string_view host) const;
  bool is_listed(std::string_view host) const;
  bool is_local(std::string_view host) const;

  std::vector<std::string> exact_;     // sorted
  std::vector<std::string> suffixes_;  // ".example.org"
  std::vector<std::string> local_names_;
  std::string canonical_host_;
  std::string canonical_name_;  // without port
  bool any_ = false;
  bool guard_ = false;
  mutable std::string last_served_;  // most requests name the same host as the one before
};

}  // namespace servery::http
