// Credentials that were verified a short while ago, so that a request with them costs no hash.
// Holds keyed digests, never a password; of fixed size; gone with its worker, so a reload forgets
// all of it. Worker thread only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/clock.h"
#include "worker/access/keyed_digest.h"

namespace servery::access {

class VerifiedCache {
 public:
  static constexpr Milliseconds kLifetime{300'000};

  VerifiedCache();
  // Whose credentials they are.
  std::optional<std::uint32_t> find(const Digest& digest, SteadyTime now) const;
  // In a full set the entry that would expire first makes room.
  void insert(const Digest& digest, std::uint32_t user, SteadyTime now);

 private:
  static constexpr std::size_t kSets = 128;
  static constexpr std::size_t kWays = 8;
  struct Entry {
    Digest digest{};
    std::uint32_t user = 0;
    SteadyTime expires{};
  };
  using Set = std::array<Entry, kWays>;
  std::vector<Set> sets_;
};

}  // namespace servery::access
