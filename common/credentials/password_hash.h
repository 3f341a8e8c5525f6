// Stored password hashes: what kind one is and what it costs, whether a password fits it, a new
// one. argon2id (RFC 9106), bcrypt and SHA-crypt; nothing weaker. The only includer of argon2.h and
// crypt.h. Any thread; verifying and making block for as long as the hash costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace servery {

enum class HashKind : std::uint8_t { kArgon2id, kBcrypt, kSha256, kSha512 };

// Longer ones fit nothing: the cost of SHA-crypt grows with them.
inline constexpr std::size_t kMaxPassword = 256;

struct HashCost {
  HashKind kind = HashKind::kArgon2id;
  std::uint64_t work =
      0;  // grows with the time it takes, comparable over kinds; about microseconds
};

// The kind and cost of "$argon2id$...", "$2b$...", "$5$...", "$6$...". kUnsupported: another kind
// (plain text, MD5, SHA-1 and DES are refused). kInvalid: broken, or beyond the bounds of cost that
// one request may cause: argon2id 256 MiB and 16 passes, bcrypt 14, SHA-crypt 1,000,000 rounds.
Result<HashCost> inspect_hash(std::string_view hash);

// Takes the same time whatever the password, and compares without a branch on its bytes.
bool verify_password(const std::string& hash, std::string_view password);

// kInvalid: the password is empty, too long for the kind (bcrypt: 72 bytes), or holds a NUL.
Result<std::string> hash_password(HashKind kind, std::string_view password);

// 100 random bits in letters and digits that are not taken for one another: "k7mqd-x2eyp-...".
Result<std::string> make_password();

std::optional<HashKind> parse_hash_kind(std::string_view name);  // "argon2id", "bcrypt", "sha512"

}  // namespace servery
