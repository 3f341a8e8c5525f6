// How often a client address may be wrong about a password: ten times at once, then once in six
// seconds, for each worker. An attempt is counted before its hash is made and given back when it
// was right, so that many at once get no further. Of fixed size: where too many addresses are
// known, the one with the fewest failures is forgotten. Pure but for the key; worker thread only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "worker/access/keyed_digest.h"

namespace servery::access {

class FailureThrottle {
 public:
  static constexpr int kBurst = 10;
  static constexpr Milliseconds kRefill{6'000};

  enum class Answer : std::uint8_t {
    kGo,
    kFirstRefused,  // of a row: worth a line in the log
    kRefused,
  };

  explicit FailureThrottle(const KeyedDigest& digest);
  // `address`: numeric. IPv6 counts by its /64, which one client has all of. Empty (a Unix socket):
  // no client can be told from another, so none is refused.
  Answer count(std::string_view address, SteadyTime now);
  void give_back(std::string_view address);

 private:
  static constexpr std::size_t kSets = 512;
  static constexpr std::size_t kWays = 8;
  struct Entry {
    std::uint64_t client = 0;
    SteadyTime clear_at{};  // each failure moves it by kRefill
    bool is_told = false;
  };
  using Set = std::array<Entry, kWays>;

  std::uint64_t client_of(std::string_view address) const;
  Entry* find(std::uint64_t client);

  const KeyedDigest& digest_;
  std::vector<Set> sets_;
};

}  // namespace servery::access
