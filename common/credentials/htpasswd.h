// htpasswd files: `USER:HASH` lines, blank lines and `#` comments. Reading, and the edits of
// `servery passwd`, which leave every other line as it was. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/credentials/password_hash.h"

namespace servery {

inline constexpr std::size_t kMaxHtpasswdBytes = 1024 * 1024;
inline constexpr std::size_t kMaxHtpasswdUsers = 10'000;

struct HtpasswdUser {
  std::string name;
  std::string hash;
  HashCost cost;
};

struct HtpasswdFault {
  std::uint32_t line = 0;  // 1-based
  std::string message;     // without any part of a hash
};

struct Htpasswd {
  std::vector<HtpasswdUser> users;
  std::vector<HtpasswdFault> faults;  // at most 20
};

Htpasswd parse_htpasswd(std::string_view text);

// What is wrong with a user name: empty, longer than 255 bytes, a colon, a control character, not
// UTF-8 (RFC 7617 2, 2.1).
std::optional<std::string> check_user_name(std::string_view name);

// The file with `user`'s line replaced, or added at the end.
std::string with_user(std::string_view text, std::string_view user, std::string_view hash);
// The file without it; nullopt: there is none.
std::optional<std::string> without_user(std::string_view text, std::string_view user);

}  // namespace servery
