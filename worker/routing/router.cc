#include "worker/routing/router.h"

#include <algorithm>
#include <utility>

namespace servery::routing {
namespace {

// FNV-1a, taken on byte by byte along the path.
constexpr std::uint32_t kHashStart = 2'166'136'261U;
constexpr std::uint32_t hash_next(std::uint32_t hash, char c) {
  return (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
}

std::uint32_t hash_of(std::string_view path) {
  std::uint32_t hash = kHashStart;
  for (char c : path) hash = hash_next(hash, c);
  return hash;
}

// "/drop/" and "/drop" are one place; "/" is itself.
std::string_view without_slash(std::string_view path) {
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

Result<Router> Router::create(const std::vector<RouteKey>& keys) {
  Router router;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    SERVERY_TRY(router.add(keys[i], static_cast<std::uint32_t>(i)));
  }
  router.merge_exact_places();
  std::sort(router.hosts_.begin(), router.hosts_.end(),
            [](const Group& a, const Group& b) { return a.host < b.host; });
  std::sort(router.wildcards_.begin(), router.wildcards_.end(),
            [](const Group& a, const Group& b) { return a.host.size() > b.host.size(); });
  return router;
}

Router::Group& Router::group_for(const std::string& host) {
  if (host.empty()) return any_;
  const bool is_wildcard = host.starts_with("*.");
  const std::string name = is_wildcard ? host.substr(1) : host;
  std::vector<Group>& groups = is_wildcard ? wildcards_ : hosts_;
  const auto found = std::find_if(groups.begin(), groups.end(),
                                  [&name](const Group& group) { return group.host == name; });
  if (found != groups.end()) return *found;
  groups.emplace_back();
  groups.back().host = name;
  return groups.back();
}

// The slot of `path`, taken if it is new; the table is never more than half full.
Router::Entry& Router::entry_for(Group& group, std::string_view path) {
  const auto taken = std::count_if(group.table.begin(), group.table.end(),
                                   [](const Entry& entry) { return !entry.path.empty(); });
  if (static_cast<std::size_t>(taken + 1) * 2 > group.table.size()) {
    std::vector<Entry> old = std::move(group.table);
    group.table = std::vector<Entry>(std::max<std::size_t>(8, old.size() * 2));
    for (Entry& entry : old) {
      if (!entry.path.empty()) entry_for(group, entry.path) = std::move(entry);
    }
  }
  const std::uint32_t hash = hash_of(path);
  const std::size_t mask = group.table.size() - 1;
  std::size_t slot = hash & mask;
  while (!group.table[slot].path.empty() && group.table[slot].path != path) {
    slot = (slot + 1) & mask;
  }
  Entry& entry = group.table[slot];
  entry.path = path;
  entry.hash = hash;
  group.longest = std::max(group.longest, path.size());
  return entry;
}

Status Router::add(const RouteKey& key, std::uint32_t route) {
  if (!key.path.starts_with('/')) return fail(Errc::kInvalid, "a path starts with '/'");
  const std::string_view path = key.exact ? std::string_view(key.path) : without_slash(key.path);
  Group& group = group_for(key.host);
  const bool is_root = path == "/" && !key.exact;
  std::uint32_t* place = &group.root;
  if (!is_root) {
    Entry& entry = entry_for(group, path);
    place = key.exact ? &entry.exact : &entry.prefix;
  }
  if (*place == kNone) {
    *place = static_cast<std::uint32_t>(places_.size());
    places_.emplace_back();
  }
  Place& at = places_[*place];
  if (at.methods.overlaps(key.methods)) {
    return fail(Errc::kInvalid, "two routes have the host \"" + key.host + "\", the path \"" +
                                    key.path + "\" and a method in common");
  }
  at.routes.push_back(route);
  at.methods.merge(key.methods);
  methods_.push_back(key.methods);
  all_methods_.merge(key.methods);
  return {};
}

// "=/x" that lacks a method leaves it to "/x": an exact place ends with its path's prefix routes.
void Router::merge_exact_places() {
  const auto merge = [this](Group& group) {
    for (Entry& entry : group.table) {
      const std::uint32_t prefix = entry.path == "/" ? group.root : entry.prefix;
      if (entry.exact == kNone || prefix == kNone) continue;
      Place& exact = places_[entry.exact];
      const Place& below = places_[prefix];
      exact.routes.insert(exact.routes.end(), below.routes.begin(), below.routes.end());
      exact.methods.merge(below.methods);
    }
  };
  merge(any_);
  for (Group& group : hosts_) merge(group);
  for (Group& group : wildcards_) merge(group);
}

const Router::Entry* Router::find(const Group& group, std::string_view path, std::uint32_t hash) {
  const std::size_t mask = group.table.size() - 1;
  for (std::size_t slot = hash & mask; !group.table[slot].path.empty(); slot = (slot + 1) & mask) {
    const Entry& entry = group.table[slot];
    if (entry.hash == hash && entry.path == path) return &entry;
  }
  return nullptr;
}

// Walks the path once; at each '/' and at the end the part so far is looked up.
bool Router::match_group(const Group& group, std::string_view path, Match& out) const {
  bool is_found = group.root != kNone && path.starts_with('/');
  if (is_found) {
    out.place = group.root;
    out.matched = 0;
  }
  if (group.table.empty()) return is_found;
  std::uint32_t hash = kHashStart;
  const std::size_t last = std::min(path.size(), group.longest);
  for (std::size_t size = 1; size <= last; ++size) {
    hash = hash_next(hash, path[size - 1]);
    const bool is_whole = size == path.size();
    if (!is_whole && path[size] != '/') continue;
    const Entry* entry = find(group, path.substr(0, size), hash);
    if (entry == nullptr) continue;
    const bool is_exact = is_whole && entry->exact != kNone;
    if (!is_exact && entry->prefix == kNone) continue;
    out.place = is_exact ? entry->exact : entry->prefix;
    out.matched = static_cast<std::uint32_t>(size);
    is_found = true;
  }
  return is_found;
}

void Router::choose_method(http::Method method, Match& out) const {
  const Place& place = places_[out.place];
  out.route = place.routes.front();
  out.outcome = Outcome::kMethodNotAllowed;
  for (std::uint32_t route : place.routes) {
    if (!methods_[route].contains(method)) continue;
    out.route = route;
    out.outcome = Outcome::kFound;
    return;
  }
}

Router::Match Router::match(std::string_view host, std::string_view path,
                            http::Method method) const {
  Match out;
  bool is_found = false;
  if (!hosts_.empty()) {
    const auto group = std::lower_bound(
        hosts_.begin(), hosts_.end(), host,
        [](const Group& candidate, std::string_view name) { return candidate.host < name; });
    if (group != hosts_.end() && group->host == host) is_found = match_group(*group, path, out);
  }
  for (const Group& group : wildcards_) {
    if (is_found) break;
    if (host.size() <= group.host.size() || !host.ends_with(group.host)) continue;
    is_found = match_group(group, path, out);
  }
  if (!is_found && !match_group(any_, path, out)) return out;
  choose_method(method, out);
  return out;
}

}  // namespace servery::routing
