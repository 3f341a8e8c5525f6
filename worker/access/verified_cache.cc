#include "worker/access/verified_cache.h"

#include <algorithm>

namespace servery::access {

VerifiedCache::VerifiedCache() : sets_(kSets) {}

std::optional<std::uint32_t> VerifiedCache::find(const Digest& digest, SteadyTime now) const {
  for (const Entry& entry : sets_[digest[0] % kSets]) {
    if (entry.digest == digest && now < entry.expires) return entry.user;
  }
  return std::nullopt;
}

void VerifiedCache::insert(const Digest& digest, std::uint32_t user, SteadyTime now) {
  Set& set = sets_[digest[0] % kSets];
  const auto same = std::find_if(set.begin(), set.end(),
                                 [&](const Entry& entry) { return entry.digest == digest; });
  const auto place =
      same != set.end()
          ? same
          : std::min_element(set.begin(), set.end(),
                             [](const Entry& a, const Entry& b) { return a.expires < b.expires; });
  *place = {digest, user, now + kLifetime};
}

}  // namespace servery::access
