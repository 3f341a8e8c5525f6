// 128 bits that stand for a secret or an address under a random key of this process: SipHash-2-4.
// Nothing can be computed from them outside, and equal ones mean equal inputs. A value.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "common/base/content_hash.h"

namespace servery::access {

using Digest = std::array<std::uint64_t, 2>;

class KeyedDigest {
 public:
  // With random bytes of the kernel; aborts where there are none.
  KeyedDigest();
  explicit KeyedDigest(const ContentHash::Key& key) : key_(key) {}
  // Lengths are part of it: ("a", "bc") and ("ab", "c") differ.
  Digest of(std::initializer_list<std::string_view> parts) const;

 private:
  ContentHash::Key key_;
};

}  // namespace servery::access
