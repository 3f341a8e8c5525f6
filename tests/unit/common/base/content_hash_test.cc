#include "common/base/content_hash.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

std::string counting_bytes(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

std::string hash_of(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.finish();
}

// From the vectors of the SipHash reference implementation (vectors_sip128).
TEST(ContentHash, AgreesWithThePublishedVectors) {
  EXPECT_EQ(hash_of(""), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ(hash_of(counting_bytes(1)), "da87c1d86b99af44347659119b22fc45");
  EXPECT_EQ(hash_of(counting_bytes(2)), "8177228da4a45dc7fca38bdef60affe4");
  EXPECT_EQ(hash_of(counting_bytes(8)), "3b62a9ba6258f5610f83e264f31497b4");
}

TEST(ContentHash, DoesNotDependOnHowTheBytesArrive) {
  const std::string bytes = counting_bytes(100);
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    ContentHash hash;
    hash.add(std::string_view(bytes).substr(0, first));
    hash.add(std::string_view(bytes).substr(first));
    EXPECT_EQ(hash.finish(), hash_of(bytes)) << first;
  }
}

TEST(ContentHash, ANumberIsEightBytes) {
  ContentHash hash;
  hash.add_number(0x0706050403020100);
  EXPECT_EQ(hash.finish(), hash_of(counting_bytes(8)));
}

TEST(ContentHash, AKeyMakesOtherValues) {
  const auto words = [](const ContentHash::Key& key) {
    ContentHash hash(key);
    hash.add("abc");
    return hash.finish_words();
  };
  EXPECT_EQ(words({1, 2}), words({1, 2}));
  EXPECT_NE(words({1, 2}), words({1, 3}));
  EXPECT_NE(words({1, 2}), words({2, 2}));
}

}  // namespace
}  // namespace servery
