#include "worker/access/keyed_digest.h"

#include <gtest/gtest.h>

namespace servery::access {
namespace {

TEST(KeyedDigest, DependsOnKeyPartsAndTheirEnds) {
  const KeyedDigest one{ContentHash::Key{1, 2}};
  const KeyedDigest other{ContentHash::Key{1, 3}};
  EXPECT_EQ(one.of({"a", "bc"}), one.of({"a", "bc"}));
  EXPECT_NE(one.of({"a", "bc"}), one.of({"ab", "c"}));
  EXPECT_NE(one.of({"a", ""}), one.of({"a"}));
  EXPECT_NE(one.of({"a", "bc"}), other.of({"a", "bc"}));
  EXPECT_NE(KeyedDigest().of({"a"}), KeyedDigest().of({"a"})) << "a random key each";
}

}  // namespace
}  // namespace servery::access
