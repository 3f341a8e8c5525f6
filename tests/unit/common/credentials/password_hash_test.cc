#include "common/credentials/password_hash.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

// Made by Debian's `htpasswd -B` and `openssl passwd -5|-6`, of the password "correct horse".
constexpr const char* kForeign[] = {
    "$2y$05$1C26JgKVwtXPSlMfe1Tj4eMZ8qL/CBxUvsV.EuPUQl41AD5HNVqku",
    "$5$ixYKgiceYKUcSuEC$ESZ8Yzorlsm9MYxVG9JBDVqWw7e7MBn1jdYDK.Sca1A",
    "$6$O5Hz2eXFG9T1pxJo$WT5TYcC9uEA4aBxEAkCQR2mfrNK2YGkFY2uFzYo7tgNW6/"
    "hEhqEfP2fbj/ThQhzsl4J/fDZXd2ChDnAXv52yH0",
};

TEST(PasswordHash, TakesWhatOtherToolsMade) {
  for (const char* hash : kForeign) {
    EXPECT_TRUE(inspect_hash(hash)) << hash;
    EXPECT_TRUE(verify_password(hash, "correct horse")) << hash;
    EXPECT_FALSE(verify_password(hash, "correct horsf")) << hash;
    EXPECT_FALSE(verify_password(hash, "")) << hash;
    EXPECT_FALSE(verify_password(hash, std::string("correct horse\0x", 15))) << hash;
    EXPECT_FALSE(verify_password(hash, std::string(kMaxPassword + 1, 'x'))) << hash;
  }
}

// The reference implementation's vector for argon2id (src/test.c).
TEST(PasswordHash, TakesThePublishedArgon2idVector) {
  const std::string hash =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  EXPECT_TRUE(inspect_hash(hash));
  EXPECT_TRUE(verify_password(hash, "password"));
  EXPECT_FALSE(verify_password(hash, "passwore"));
}

TEST(PasswordHash, MakesWhatItTakes) {
  const std::string password = "p\xc3\xa4ss:w\xc3\xb6rd";
  for (const HashKind kind :
       {HashKind::kArgon2id, HashKind::kBcrypt, HashKind::kSha256, HashKind::kSha512}) {
    const auto hash = hash_password(kind, password);
    ASSERT_TRUE(hash) << hash.error().text;
    const auto cost = inspect_hash(*hash);
    ASSERT_TRUE(cost) << *hash;
    EXPECT_EQ(cost->kind, kind);
    EXPECT_TRUE(verify_password(*hash, password)) << *hash;
    EXPECT_FALSE(verify_password(*hash, "other")) << *hash;
    EXPECT_NE(*hash, *hash_password(kind, password)) << "salted";
  }
}

TEST(PasswordHash, RefusesPasswordsThatWouldNotCount) {
  EXPECT_FALSE(hash_password(HashKind::kArgon2id, ""));
  EXPECT_FALSE(hash_password(HashKind::kArgon2id, std::string("a\0b", 3)));
  EXPECT_FALSE(hash_password(HashKind::kArgon2id, std::string(kMaxPassword + 1, 'x')));
  EXPECT_FALSE(hash_password(HashKind::kBcrypt, std::string(73, 'x'))) << "bcrypt drops the rest";
}

TEST(PasswordHash, RefusesWeakKindsAndPlainText) {
  for (const char* hash :
       {"secret", "", "$apr1$lZL6V/ci$eIMz/iKDkbtys/uU7LEK00", "$1$abc$HPlNCtNLR8Gv8XXX4vLcp/",
        "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=", "rqXexS6ZhobKA", "$argon2i$v=19$m=19456,t=2,p=1$x$y",
        "$7$abc", "$y$j9T$abc$def", "$2x$10$"}) {
    const auto cost = inspect_hash(hash);
    ASSERT_FALSE(cost) << hash;
    EXPECT_EQ(cost.error().code, Errc::kUnsupported) << hash;
  }
}

TEST(PasswordHash, BoundsWhatOneCheckCosts) {
  const std::string salt = "c29tZXNhbHRzb21l";
  const std::string hash = "RdescudvJCsgt3ub+b+dWRWJTmaaJObG";
  const auto argon = [&](const std::string& numbers) {
    return inspect_hash("$argon2id$v=19$" + numbers + "$" + salt + "$" + hash).has_value();
  };
  EXPECT_TRUE(argon("m=262144,t=16,p=4"));
  EXPECT_FALSE(argon("m=262145,t=1,p=1"));
  EXPECT_FALSE(argon("m=65536,t=17,p=1"));
  EXPECT_FALSE(argon("m=65536,t=1,p=5"));
  EXPECT_FALSE(argon("m=65536,t=0,p=1"));
  EXPECT_FALSE(argon("m=7,t=1,p=1"));
  EXPECT_FALSE(argon("m=65536,t=1"));
  EXPECT_FALSE(argon("m=65536,t=1,p=1,x=1"));
  const std::string rest = std::string(53, 'a');
  EXPECT_TRUE(inspect_hash("$2y$14$" + rest));
  EXPECT_FALSE(inspect_hash("$2y$15$" + rest));
  EXPECT_FALSE(inspect_hash("$2y$03$" + rest));
  EXPECT_FALSE(inspect_hash("$2y$10$" + rest + "a"));
  const std::string sha = "$salt$" + std::string(43, 'a');
  EXPECT_TRUE(inspect_hash("$5$rounds=1000000" + sha));
  EXPECT_FALSE(inspect_hash("$5$rounds=1000001" + sha));
  EXPECT_FALSE(inspect_hash("$5$rounds=999" + sha));
  EXPECT_LT(inspect_hash("$5$rounds=1000" + sha)->work, inspect_hash("$5$rounds=9000" + sha)->work);
}

TEST(PasswordHash, NamesOfKinds) {
  EXPECT_EQ(parse_hash_kind("argon2id"), HashKind::kArgon2id);
  EXPECT_EQ(parse_hash_kind("bcrypt"), HashKind::kBcrypt);
  EXPECT_EQ(parse_hash_kind("sha512"), HashKind::kSha512);
  EXPECT_EQ(parse_hash_kind("md5"), std::nullopt);
}

}  // namespace
}  // namespace servery
