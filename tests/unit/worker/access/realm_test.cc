#include "worker/access/realm.h"

#include <gtest/gtest.h>

namespace servery::access {
namespace {

using http::Right;

std::vector<HtpasswdUser> users(std::initializer_list<const char*> names) {
  std::vector<HtpasswdUser> made;
  for (const char* name : names) made.push_back({name, std::string("hash of ") + name, {}});
  return made;
}

Grants grants() {
  Grants made;
  made[static_cast<std::size_t>(Right::kRead)] = {Grant::To::kAnyone, {}};
  made[static_cast<std::size_t>(Right::kCreate)] = {Grant::To::kNamed, {"bob", "alice"}};
  made[static_cast<std::size_t>(Right::kDelete)] = {Grant::To::kNamed, {"alice"}};
  made[static_cast<std::size_t>(Right::kMove)] = {Grant::To::kNamed, {}};
  return made;
}

TEST(Realm, GivesEachWhatIsGranted) {
  const auto realm = Realm::create("team", users({"carol", "alice", "bob"}), grants());
  ASSERT_TRUE(realm);
  EXPECT_EQ(realm->anonymous().rights, http::RightSet::of(Right::kRead));
  EXPECT_FALSE(realm->anonymous().is_known_user);
  const auto rights_of = [&](const char* name) {
    const http::Access access = realm->access_of(*realm->find(name));
    EXPECT_TRUE(access.is_known_user);
    std::string text;
    for (const auto& [right, letter] :
         {std::pair(Right::kRead, 'r'), std::pair(Right::kList, 'l'),
          std::pair(Right::kCreate, 'c'), std::pair(Right::kOverwrite, 'o'),
          std::pair(Right::kDelete, 'd'), std::pair(Right::kMove, 'm')}) {
      if (access.rights.has(right)) text += letter;
    }
    return text;
  };
  EXPECT_EQ(rights_of("alice"), "rlcod");
  EXPECT_EQ(rights_of("bob"), "rlco");
  EXPECT_EQ(rights_of("carol"), "rlo");
}

TEST(Realm, FindsItsUsersAndNoOthers) {
  const auto realm = Realm::create("team", users({"carol", "alice", "bob"}), grants());
  for (const char* name : {"alice", "bob", "carol"}) {
    ASSERT_TRUE(realm->find(name)) << name;
    EXPECT_EQ(realm->hash(realm->find(name), 5), std::string("hash of ") + name);
  }
  for (const char* name : {"", "a", "alicf", "bo", "zoe"}) EXPECT_FALSE(realm->find(name)) << name;
}

TEST(Realm, AnUnknownUserStandsForSomeHash) {
  const auto realm = Realm::create("team", users({"alice", "bob"}), grants());
  EXPECT_EQ(realm->hash(std::nullopt, 4), "hash of alice");
  EXPECT_EQ(realm->hash(std::nullopt, 5), "hash of bob");
}

TEST(Realm, NoUsersOrOneTwiceIsAnError) {
  EXPECT_FALSE(Realm::create("team", {}, grants()));
  EXPECT_FALSE(Realm::create("team", users({"alice", "bob", "alice"}), grants()));
}

}  // namespace
}  // namespace servery::access
