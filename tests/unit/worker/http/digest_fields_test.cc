#include "worker/http/digest_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::http {
namespace {

constexpr auto kNone = std::optional<DigestAlgorithm>();
constexpr auto kSha256 = DigestAlgorithm::kSha256;
constexpr auto kSha512 = DigestAlgorithm::kSha512;

std::optional<DigestAlgorithm> wanted(const std::vector<std::string_view>& values) {
  RequestFields fields;
  for (const std::string_view value : values) {
    fields.add({FieldId::kWantReprDigest, "want-repr-digest", value});
  }
  return wanted_digest(fields, FieldId::kWantReprDigest);
}

TEST(DigestFields, TheHighestWeightWins) {
  EXPECT_EQ(wanted({"sha-256=1"}), kSha256);
  EXPECT_EQ(wanted({"sha-512=1"}), kSha512);
  EXPECT_EQ(wanted({"sha-256=3, sha-512=10"}), kSha512);
  EXPECT_EQ(wanted({"sha-512=3, sha-256=10"}), kSha256);
  EXPECT_EQ(wanted({"sha-512=5,sha-256=5"}), kSha256);
  EXPECT_EQ(wanted({"sha-256=1", "sha-512=2"}), kSha512);
  EXPECT_EQ(wanted({"sha-256=9, sha-256=0, sha-512=1"}), kSha512);  // the last of a key (RFC 8941)
  EXPECT_EQ(wanted({"unixsum=10, md5=9, sha-256=1"}), kSha256);
  EXPECT_EQ(wanted({"sha-256=1;a=b"}), kSha256);
}

TEST(DigestFields, ZeroIsNotWanted) {
  EXPECT_EQ(wanted({"sha-256=0"}), kNone);
  EXPECT_EQ(wanted({"sha-256=0, sha-512=1"}), kSha512);
  EXPECT_EQ(wanted({"md5=10, adler=1"}), kNone);
}

TEST(DigestFields, WhatIsNoDictionaryOfWeightsIsIgnored) {
  for (const std::string_view bad :
       {"sha-256", "sha-256=", "sha-256=11", "sha-256=-1", "sha-256=1.5", "sha-256=\"1\"",
        "sha-256=:AA==:", "SHA-256=1", "=1", "sha-256 = 1", "1sha=1", "sha-256=1, x", "sha-256=?1",
        "sha-256=99999999999999999999"}) {
    EXPECT_EQ(wanted({bad}), kNone) << bad;
  }
  EXPECT_EQ(wanted({""}), kNone);
  EXPECT_EQ(wanted({}), kNone);
}

TEST(DigestFields, AreWrittenAsByteSequences) {  // RFC 9530 appendix B: of no content
  const std::string empty =
      "\xe3\xb0\xc4\x42\x98\xfc\x1c\x14\x9a\xfb\xf4\xc8\x99\x6f\xb9\x24"
      "\x27\xae\x41\xe4\x64\x9b\x93\x4c\xa4\x95\x99\x1b\x78\x52\xb8\x55";
  EXPECT_EQ(digest_value(kSha256, empty), "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
}

}  // namespace
}  // namespace servery::http
