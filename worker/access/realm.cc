#include "worker/access/realm.h"

#include <algorithm>
#include <utility>

namespace servery::access {
namespace {

bool is_given(const Grant& grant, const std::string& user) {
  return grant.to != Grant::To::kNamed ||
         std::find(grant.names.begin(), grant.names.end(), user) != grant.names.end();
}

}  // namespace

Result<Realm> Realm::create(std::string name, std::vector<HtpasswdUser> users,
                            const Grants& grants) {
  std::vector<User> sorted;
  sorted.reserve(users.size());
  http::RightSet anyone;
  for (HtpasswdUser& user : users)
    sorted.push_back({std::move(user.name), std::move(user.hash), {}});
  for (std::size_t i = 0; i < grants.size(); ++i) {
    const auto right = static_cast<http::Right>(i);
    if (grants[i].to == Grant::To::kAnyone) anyone.add(right);
    for (User& user : sorted) {
      if (is_given(grants[i], user.name)) user.rights.add(right);
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const User& a, const User& b) { return a.name < b.name; });
  const auto twice = std::adjacent_find(
      sorted.begin(), sorted.end(), [](const User& a, const User& b) { return a.name == b.name; });
  if (sorted.empty()) return fail(Errc::kInvalid, "auth " + name + ": no user");
  if (twice != sorted.end()) {
    return fail(Errc::kInvalid, "auth " + name + ": " + twice->name + " is there twice");
  }
  return Realm(std::move(name), std::move(sorted), anyone);
}

std::optional<std::uint32_t> Realm::find(std::string_view user) const {
  const auto found = std::lower_bound(
      users_.begin(), users_.end(), user,
      [](const User& candidate, std::string_view wanted) { return candidate.name < wanted; });
  if (found == users_.end() || found->name != user) return std::nullopt;
  return static_cast<std::uint32_t>(found - users_.begin());
}

const std::string& Realm::hash(std::optional<std::uint32_t> user, std::uint64_t pick) const {
  return users_[user ? *user : pick % users_.size()].hash;
}

}  // namespace servery::access
