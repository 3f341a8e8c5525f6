// `fallback` of a static route: which route takes what it does not find. One rule for the check and
// for the workers. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/settings.h"

namespace servery {

// Routes from the first to the last that a request may be handed on to.
inline constexpr std::size_t kMaxFallbacks = 8;

// The index of the route whose `path`, as it is configured, is the fallback of `route`, of the same
// host, else of no host, and that takes GET; nullopt: no fallback, or no such route.
std::optional<std::size_t> fallback_of(const Settings& settings, std::size_t route);

struct FallbackFault {
  std::string reason;
  std::string message;
  std::string suggestion;

  friend bool operator==(const FallbackFault&, const FallbackFault&) = default;
};
// What is wrong with the fallback of `route`; a circle is told once, at its first route.
std::optional<FallbackFault> check_fallback(const Settings& settings, std::size_t route);

}  // namespace servery
