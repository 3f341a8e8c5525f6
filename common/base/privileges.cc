#include "common/base/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace servery {
namespace {

// Capability numbers the kernel may know; asking beyond its last one answers EINVAL.
constexpr unsigned kCapabilityCeiling = 64;

using CapabilitySets = std::array<__user_cap_data_struct, 2>;

__user_cap_header_struct capability_header() { return {_LINUX_CAPABILITY_VERSION_3, 0}; }

bool is_root() { return geteuid() == 0; }

// Needs CAP_SETPCAP, so before the uid changes; without it the set may already be what it is.
Status clear_bounding_set() {
  for (unsigned capability = 0; capability < kCapabilityCeiling; ++capability) {
    const int held = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (held < 0) break;
    if (held == 0) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) {
      return fail_errno("drop capability from bounding set", errno);
    }
  }
  return {};
}

Status become(const Identity& identity) {
  if (!is_root()) {
    if (identity.uid != geteuid() || identity.gid != getegid()) {
      return fail(Errc::kForbidden, "only root can change to another user");
    }
    return {};
  }
  if (setgroups(identity.groups.size(), identity.groups.data()) != 0) {
    return fail_errno("setgroups", errno);
  }
  if (setresgid(identity.gid, identity.gid, identity.gid) != 0) {
    return fail_errno("setresgid", errno);
  }
  if (setresuid(identity.uid, identity.uid, identity.uid) != 0) {
    return fail_errno("setresuid", errno);
  }
  return {};
}

// `kept`: a mask of capabilities below 32, out of those that are permitted now.
Status limit_capabilities(std::uint32_t kept) {
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) {
    return fail_errno("clear ambient capabilities", errno);
  }
  auto header = capability_header();
  CapabilitySets sets{};
  sets[0].effective = sets[0].permitted = kept;
  if (syscall(SYS_capset, &header, sets.data()) != 0) return fail_errno("capset", errno);
  return {};
}

// Containers often have no CAP_DAC_READ_SEARCH, but the wider CAP_DAC_OVERRIDE.
Result<std::uint32_t> reading_capability() {
  auto header = capability_header();
  CapabilitySets sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return fail_errno("capget", errno);
  for (const std::uint32_t mask : {1U << CAP_DAC_READ_SEARCH, 1U << CAP_DAC_OVERRIDE}) {
    if (sets[0].permitted & mask) return mask;
  }
  return std::uint32_t{0};
}

// For good: nothing executed later gets more, and nobody of the same user reads its memory.
Status seal_privileges() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("no_new_privs", errno);
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return fail_errno("PR_SET_DUMPABLE", errno);
  return {};
}

Status verify_ids(const Identity& identity) {
  uid_t uid[3];
  gid_t gid[3];
  if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || getresgid(&gid[0], &gid[1], &gid[2]) != 0) {
    return fail_errno("getresuid", errno);
  }
  if (std::any_of(uid, uid + 3, [&](uid_t id) { return id != identity.uid; }) ||
      std::any_of(gid, gid + 3, [&](gid_t id) { return id != identity.gid; })) {
    return fail(Errc::kInternal, "user or group is not what it should be");
  }
  if (identity.uid == 0) return {};
  if (setresuid(0, 0, 0) == 0 || setresgid(0, 0, 0) == 0) {
    return fail(Errc::kInternal, "root could be regained");
  }
  return {};
}

Status verify_groups(const Identity& identity) {
  std::vector<gid_t> wanted = identity.groups;
  wanted.push_back(identity.gid);
  for (gid_t group : SERVERY_TRY(current_identity()).groups) {
    if (std::find(wanted.begin(), wanted.end(), group) == wanted.end()) {
      return fail(Errc::kInternal, "a supplementary group was kept");
    }
  }
  return {};
}

Status verify_capabilities() {
  auto header = capability_header();
  CapabilitySets sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) return fail_errno("capget", errno);
  for (const auto& set : sets) {
    if (set.effective != 0 || set.permitted != 0 || set.inheritable != 0) {
      return fail(Errc::kInternal, "a capability was kept");
    }
  }
  CapabilitySets all{};
  all[0].effective = all[0].permitted = 1U << CAP_CHOWN;
  header = capability_header();
  if (syscall(SYS_capset, &header, all.data()) == 0) {
    return fail(Errc::kInternal, "a capability could be regained");
  }
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
    return fail(Errc::kInternal, "no_new_privs is not set");
  }
  if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return fail(Errc::kInternal, "the process is dumpable");
  }
  return {};
}

}  // namespace

Result<Identity> current_identity() {
  Identity identity{geteuid(), getegid(), {}};
  const int count = getgroups(0, nullptr);
  if (count < 0) return fail_errno("getgroups", errno);
  identity.groups.resize(static_cast<std::size_t>(count));
  if (getgroups(count, identity.groups.data()) != count) return fail_errno("getgroups", errno);
  return identity;
}

Status drop_privileges(const Identity& identity) {
  if (is_root()) SERVERY_TRY(clear_bounding_set());
  SERVERY_TRY(become(identity));
  SERVERY_TRY(limit_capabilities(0));
  SERVERY_TRY(seal_privileges());
  return verify_privileges(identity);
}

Status limit_to_reading() {
  const std::uint32_t kept = SERVERY_TRY(reading_capability());
  SERVERY_TRY(limit_capabilities(kept));
  SERVERY_TRY(seal_privileges());
  const rlimit nothing{0, 0};
  if (setrlimit(RLIMIT_FSIZE, &nothing) != 0) return fail_errno("setrlimit", errno);
  return {};
}

Status verify_privileges(const Identity& identity) {
  SERVERY_TRY(verify_ids(identity));
  SERVERY_TRY(verify_groups(identity));
  return verify_capabilities();
}

Result<std::uint64_t> raise_descriptor_limit(std::uint64_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return fail_errno("getrlimit", errno);
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  rlimit raised{wanted, std::max<rlim_t>(limit.rlim_max, wanted)};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) {  // beyond the hard limit: not ours to raise
    raised = {std::min<rlim_t>(wanted, limit.rlim_max), limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) return fail_errno("setrlimit", errno);
  }
  return raised.rlim_cur;
}

}  // namespace servery
