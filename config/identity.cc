#include "config/identity.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace servery {
namespace {

constexpr std::string_view kDefaultUser = "nobody";
constexpr std::size_t kMaxEntry = 1024 * 1024;

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Runs `lookup(buffer, size)` with a buffer that is large enough.
template <typename Lookup>
bool with_buffer(Lookup lookup) {
  for (std::size_t size = 4096; size <= kMaxEntry; size *= 4) {
    std::vector<char> buffer(size);
    if (lookup(buffer.data(), size) != ERANGE) return true;
  }
  return false;
}

std::optional<User> find_user(const std::string& name) {
  std::optional<User> out;
  with_buffer([&](char* buffer, std::size_t size) {
    passwd entry{};
    passwd* found = nullptr;
    const int error = getpwnam_r(name.c_str(), &entry, buffer, size, &found);
    if (error == 0 && found != nullptr) out = User{entry.pw_uid, entry.pw_gid};
    return error;
  });
  return out;
}

std::optional<gid_t> find_group(const std::string& name) {
  std::optional<gid_t> out;
  with_buffer([&](char* buffer, std::size_t size) {
    group entry{};
    group* found = nullptr;
    const int error = getgrnam_r(name.c_str(), &entry, buffer, size, &found);
    if (error == 0 && found != nullptr) out = entry.gr_gid;
    return error;
  });
  return out;
}

std::vector<gid_t> groups_of(const std::string& user, gid_t primary) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (getgrouplist(user.c_str(), primary, groups.data(), &count) < 0 && count > 0) {
    groups.resize(static_cast<std::size_t>(count));
    if (getgrouplist(user.c_str(), primary, groups.data(), &count) < 0) count = 0;
  }
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

IdentityResult problem(std::string key, std::string reason, std::string message) {
  return {std::nullopt, std::move(reason), std::move(key), std::move(message)};
}

IdentityResult unknown(std::string key, std::string_view kind, std::string_view name) {
  return problem(std::move(key), fmt::format("unknown_{}", kind),
                 fmt::format("there is no {} `{}`", kind, name));
}

bool has_root_group(const PlanIdentity& identity) {
  return identity.gid == 0 ||
         std::find(identity.groups.begin(), identity.groups.end(), 0U) != identity.groups.end();
}

IdentityResult keep_identity(const RuntimeSettings& runtime, uid_t uid, gid_t gid) {
  if (!runtime.user.empty() && find_user(runtime.user).value_or(User{uid + 1, 0}).uid != uid) {
    return problem("runtime.user", "needs_root", "only root can run workers as another user");
  }
  if (!runtime.group.empty() && find_group(runtime.group).value_or(gid + 1) != gid) {
    return problem("runtime.group", "needs_root", "only root can run workers as another group");
  }
  return {};
}

}  // namespace

IdentityResult resolve_identity(const RuntimeSettings& runtime, uid_t uid, gid_t gid) {
  const std::string name(runtime.user.empty() ? kDefaultUser : std::string_view(runtime.user));
  const std::optional<User> user = find_user(name);
  if (!user && (uid == 0 || !runtime.user.empty())) return unknown("runtime.user", "user", name);
  std::optional<gid_t> group;
  if (!runtime.group.empty()) {
    group = find_group(runtime.group);
    if (!group) return unknown("runtime.group", "group", runtime.group);
  }
  if (uid != 0) return keep_identity(runtime, uid, gid);
  if (user->uid == 0 && !group) return {};  // stays root: profile local only
  PlanIdentity identity;
  identity.user = name;
  identity.uid = user->uid;
  identity.gid = group.value_or(user->gid);
  identity.groups = groups_of(name, identity.gid);
  if (identity.uid != 0 && has_root_group(identity)) {
    return problem(runtime.group.empty() ? "runtime.user" : "runtime.group", "root_group",
                   fmt::format("workers as `{}` would keep the group of root", name));
  }
  return {std::move(identity), "", "", ""};
}

}  // namespace servery
