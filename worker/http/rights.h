// What a request may do, and which right it needs: one table from method and target to rights for
// every handler and transport. Pure values.
#pragma once

#include <cstdint>

#include "worker/http/message.h"

namespace servery::http {

enum class Right : std::uint8_t { kRead, kList, kCreate, kOverwrite, kDelete, kMove };
inline constexpr std::size_t kRightCount = 6;

class RightSet {
 public:
  constexpr RightSet() = default;
  static constexpr RightSet of(Right right) {
    RightSet set;
    set.add(right);
    return set;
  }
  static constexpr RightSet all() {
    RightSet set;
    set.bits_ = (1U << kRightCount) - 1;
    return set;
  }
  constexpr void add(Right right) {
    bits_ = static_cast<std::uint8_t>(bits_ | 1U << static_cast<unsigned>(right));
  }
  constexpr bool has(Right right) const { return overlaps(of(right)); }
  constexpr bool overlaps(RightSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(RightSet, RightSet) = default;

 private:
  std::uint8_t bits_ = 0;
};

// Whom a request comes from, as far as rights go. A route without `auth` gives all of them.
struct Access {
  RightSet rights = RightSet::all();
  bool is_known_user = false;  // by credentials that were verified
};

// What a request is about, as far as that is known where the question is asked: some resource, or
// the names in a directory (a listing, an archive).
enum class RightTarget : std::uint8_t { kResource, kNames };

// The rights any one of which lets such a request pass. None: it needs none (OPTIONS; a preflight
// carries no credentials, Fetch 4.8).
RightSet required_rights(Method method, RightTarget target);

}  // namespace servery::http
