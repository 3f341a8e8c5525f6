#include "config/fallback.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/text.h"

namespace servery {
namespace {

bool takes_get(const RouteSettings& route) {
  const auto& names = route.methods.names;
  return route.methods.any || std::find(names.begin(), names.end(), "GET") != names.end();
}

std::string configured_path(const RouteSettings& route) {
  return (route.exact ? "=" : "") + route.path;
}

bool is_named(const RouteSettings& route, std::string_view host, std::string_view path) {
  return route.host == host && configured_path(route) == path;
}

FallbackFault unknown_route(const Settings& settings, const RouteSettings& owner) {
  std::vector<std::string> paths;
  for (const RouteSettings& route : settings.routes) {
    const bool is_there =
        is_named(route, owner.host, owner.fallback) || is_named(route, "", owner.fallback);
    if (is_there) return {"method_not_taken", "the route of that path does not take GET", {}};
    if (route.host.empty() || route.host == owner.host) paths.push_back(configured_path(route));
  }
  const auto near = nearest_name(owner.fallback, {paths.begin(), paths.end()});
  return {"unknown_route", "there is no route of that path for this host, or for none",
          std::string(near.value_or(""))};
}

}  // namespace

std::optional<std::size_t> fallback_of(const Settings& settings, std::size_t route) {
  const RouteSettings& owner = settings.routes[route];
  if (owner.fallback.empty()) return std::nullopt;
  for (const std::string_view host : {std::string_view(owner.host), std::string_view()}) {
    for (std::size_t i = 0; i < settings.routes.size(); ++i) {
      const RouteSettings& other = settings.routes[i];
      if (is_named(other, host, owner.fallback) && takes_get(other)) return i;
    }
  }
  return std::nullopt;
}

std::optional<FallbackFault> check_fallback(const Settings& settings, std::size_t route) {
  const RouteSettings& owner = settings.routes[route];
  if (owner.fallback.empty()) return std::nullopt;
  if (!std::holds_alternative<StaticSettings>(owner.handler)) {
    return FallbackFault{"conflict", "only a static route may find nothing", {}};
  }
  std::optional<std::size_t> next = fallback_of(settings, route);
  if (!next) return unknown_route(settings, owner);
  std::size_t first = route;
  std::size_t steps = 0;
  // Not forever around a circle that does not come back here.
  for (; next && *next != route && steps < settings.routes.size(); ++steps) {
    first = std::min(first, *next);
    next = fallback_of(settings, *next);
  }
  if (next == route && first == route) {
    return FallbackFault{"circle", "leads back to this route", {}};
  }
  if (!next && steps > kMaxFallbacks) {
    return FallbackFault{
        "too_many", fmt::format("more than {} routes, one after the other", kMaxFallbacks), {}};
  }
  return std::nullopt;
}

}  // namespace servery
