#include "config/identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace servery {
namespace {

constexpr uid_t kSomeUid = 54'321;

RuntimeSettings as(std::string user, std::string group = {}) {
  RuntimeSettings runtime;
  runtime.user = std::move(user);
  runtime.group = std::move(group);
  return runtime;
}

TEST(Identity, RootBecomesNobody) {
  const IdentityResult result = resolve_identity(as(""), 0, 0);
  ASSERT_TRUE(result.identity);
  EXPECT_EQ(result.identity->user, "nobody");
  EXPECT_EQ(result.identity->uid, 65'534u);
  EXPECT_NE(result.identity->gid, 0u);
}

TEST(Identity, RootBecomesTheUserNamed) {
  const IdentityResult result = resolve_identity(as("daemon", "nogroup"), 0, 0);
  ASSERT_TRUE(result.identity);
  EXPECT_EQ(result.identity->uid, 1u);
  EXPECT_EQ(result.identity->gid, 65'534u);
  EXPECT_FALSE(result.identity->groups.empty());
}

TEST(Identity, RootMayStayRoot) {
  const IdentityResult result = resolve_identity(as("root"), 0, 0);
  EXPECT_FALSE(result.identity);
  EXPECT_EQ(result.reason, "");
}

TEST(Identity, UnknownNamesAreProblems) {
  EXPECT_EQ(resolve_identity(as("no-such-user"), 0, 0).reason, "unknown_user");
  EXPECT_EQ(resolve_identity(as("no-such-user"), kSomeUid, 1).reason, "unknown_user");
  const IdentityResult group = resolve_identity(as("", "no-such-group"), 0, 0);
  EXPECT_EQ(group.reason, "unknown_group");
  EXPECT_EQ(group.key, "runtime.group");
}

TEST(Identity, OnlyRootChangesUser) {
  EXPECT_EQ(resolve_identity(as(""), kSomeUid, 1).reason, "");
  EXPECT_FALSE(resolve_identity(as(""), kSomeUid, 1).identity);
  EXPECT_EQ(resolve_identity(as("daemon"), kSomeUid, 1).reason, "needs_root");
  EXPECT_EQ(resolve_identity(as("daemon"), 1, 1).reason, "");
  EXPECT_EQ(resolve_identity(as("", "daemon"), kSomeUid, 1).reason, "");
  EXPECT_EQ(resolve_identity(as("", "root"), kSomeUid, 1).reason, "needs_root");
}

}  // namespace
}  // namespace servery
