// One `auth` entry as a worker asks it: its users with their hashes, and what each may do. Built
// from the settings and the password file's text; immutable, shared by the routes that name it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/credentials/htpasswd.h"
#include "worker/http/rights.h"

namespace servery::access {

// Whom one right is given to.
struct Grant {
  enum class To : std::uint8_t { kAnyone, kUsers, kNamed };
  To to = To::kUsers;  // every user there is
  std::vector<std::string> names;
};
using Grants = std::array<Grant, http::kRightCount>;  // by http::Right

class Realm {
 public:
  // kInvalid: no user, or one that is there twice.
  static Result<Realm> create(std::string name, std::vector<HtpasswdUser> users,
                              const Grants& grants);

  const std::string& name() const { return name_; }
  // By binary search: what the time of it tells of names is far below that of the hash behind it.
  std::optional<std::uint32_t> find(std::string_view user) const;
  // Of a user, or of one that `pick` chooses: checked in place of an unknown user's, so that both
  // take the same time.
  const std::string& hash(std::optional<std::uint32_t> user, std::uint64_t pick) const;

  http::Access anonymous() const { return {anyone_, false}; }
  http::Access access_of(std::uint32_t user) const { return {users_[user].rights, true}; }

 private:
  struct User {
    std::string name;
    std::string hash;
    http::RightSet rights;
  };

  Realm(std::string name, std::vector<User> users, http::RightSet anyone)
      : name_(std::move(name)), users_(std::move(users)), anyone_(anyone) {}

  std::string name_;
  std::vector<User> users_;  // by name
  http::RightSet anyone_;
};

}  // namespace servery::access
