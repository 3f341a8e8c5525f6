#include "common/credentials/htpasswd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servery {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHash = "$2y$05$" + std::string(53, 'a');

TEST(Htpasswd, ReadsUsersPastBlankLinesAndComments) {
  const Htpasswd file = parse_htpasswd("# of the team\n\nalice:" + kHash +
                                       "\r\n \t\nb\xc3\xb6"
                                       "b:" +
                                       kHash);
  ASSERT_TRUE(file.faults.empty()) << file.faults.front().message;
  ASSERT_EQ(file.users.size(), 2U);
  EXPECT_EQ(file.users[0].name, "alice");
  EXPECT_EQ(file.users[0].hash, kHash);
  EXPECT_EQ(file.users[0].cost.kind, HashKind::kBcrypt);
  EXPECT_EQ(file.users[1].name,
            "b\xc3\xb6"
            "b");
}

TEST(Htpasswd, EveryFaultWithItsLineAndNoSecret) {
  const Htpasswd file = parse_htpasswd("alice:" + kHash + "\nno colon\n:" + kHash +
                                       "\nbob:topsecret\nalice:" + kHash + "\nc\xff:" + kHash);
  ASSERT_EQ(file.faults.size(), 5U);
  for (std::size_t i = 0; i < file.faults.size(); ++i) {
    EXPECT_EQ(file.faults[i].line, i + 2);
    EXPECT_THAT(file.faults[i].message, Not(HasSubstr("topsecret")));
    EXPECT_THAT(file.faults[i].message, Not(HasSubstr("no colon")));
  }
  EXPECT_THAT(file.faults[2].message, HasSubstr("bob"));
  EXPECT_THAT(file.faults[3].message, HasSubstr("twice"));
  EXPECT_EQ(file.users.size(), 1U);
}

TEST(Htpasswd, NamesThatCannotBeSent) {
  EXPECT_FALSE(check_user_name("alice"));
  EXPECT_FALSE(check_user_name("a b@example.org"));
  EXPECT_FALSE(check_user_name(std::string(255, 'a')));
  EXPECT_TRUE(check_user_name(""));
  EXPECT_TRUE(check_user_name("a:b"));
  EXPECT_TRUE(check_user_name("#a"));
  EXPECT_TRUE(check_user_name("a\tb"));
  EXPECT_TRUE(check_user_name(std::string("a\0b", 3)));
  EXPECT_TRUE(check_user_name("\xff"));
  EXPECT_TRUE(check_user_name(std::string(256, 'a')));
}

TEST(Htpasswd, AnEditLeavesTheOtherLinesAsTheyWere) {
  const std::string before = "# c\r\nalice:old\nalicia:x\n\nbob:y";
  EXPECT_EQ(with_user(before, "alice", "new"), "# c\r\nalice:new\nalicia:x\n\nbob:y");
  EXPECT_EQ(with_user(before, "carol", "z"), before + "\ncarol:z\n");
  EXPECT_EQ(with_user("", "carol", "z"), "carol:z\n");
  EXPECT_EQ(with_user("a:1\na:2\n", "a", "3"), "a:3\n") << "one line for each user";
  EXPECT_EQ(without_user(before, "alice"), "# c\r\nalicia:x\n\nbob:y");
  EXPECT_EQ(without_user(before, "ali"), std::nullopt);
}

}  // namespace
}  // namespace servery
