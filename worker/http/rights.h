// What a request may do, and which right it needs: one table from method and target to right for
// every handler and transport. Pure values.
#pragma once

#include <cstdint>

#include "worker/http/message.h"

namespace servery::http {

enum class Right : std::uint8_t { kRead, kList, kCreate, kOverwrite, kDelete, kMove };

class RightSet {
 public:
  constexpr RightSet() = default;
  static constexpr RightSet all() {
    RightSet set;
    set.bits_ = 0x3f;
    return set;
  }
  constexpr void add(Right right) { bits_ |= bit(right); }
  constexpr bool has(Right right) const { return (bits_ & bit(right)) != 0; }
  constexpr void merge(RightSet other) { bits_ |= other.bits_; }

 private:
  static constexpr std::uint8_t bit(Right right) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(right));
  }
  std::uint8_t bits_ = 0;
};

// Whom a request comes from, as far as rights go. A route without `auth` gives all of them.
struct Access {
  RightSet rights = RightSet::all();
  bool is_known_user = false;  // by credentials that were verified
};

// What a request is about: a file (or a fixed answer), or the names in a directory.
enum class RightTarget : std::uint8_t { kFile, kDirectory };

Right required_right(Method method, RightTarget target);

}  // namespace servery::http
