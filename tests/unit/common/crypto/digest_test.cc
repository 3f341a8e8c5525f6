#include "common/crypto/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace servery {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[c & 15];
  }
  return text;
}

TEST(Digest, AgreesWithFips180) {
  Digest sha256(Digest::Algorithm::kSha256);
  sha256.add("a");
  sha256.add("");
  sha256.add("bc");
  EXPECT_EQ(hex(sha256.finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Digest sha512(Digest::Algorithm::kSha512);
  sha512.add("abc");
  EXPECT_EQ(hex(sha512.finish()),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
}

TEST(Digest, OfNothing) {
  EXPECT_EQ(hex(Digest(Digest::Algorithm::kSha256).finish()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace servery
