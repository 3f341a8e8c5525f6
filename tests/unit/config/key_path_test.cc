#include "config/key_path.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(KeyPath, Form) {
  for (const char* key : {"a", "a.b_c", "routes[0].static.root", "hosts[12]"}) {
    EXPECT_TRUE(is_key_path(key)) << key;
  }
  for (const char* key : {"", ".", "a.", ".a", "a..b", "A", "a-b", "a[", "a[]", "a[x]", "a[01]",
                          "a[0]b", "[0]", "a[0][1]", "a b", "a[999999999999]"}) {
    EXPECT_FALSE(is_key_path(key)) << key;
  }
}

TEST(KeyPath, FirstItem) {
  const auto item = first_item("routes[12].static.root");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->list, "routes");
  EXPECT_EQ(item->index, 12u);
  EXPECT_EQ(item->rest, "static.root");
  EXPECT_EQ(first_item("routes[1]")->rest, "");
  EXPECT_FALSE(first_item("limits.connections"));
  EXPECT_FALSE(first_item("a]["));
}

TEST(KeyPath, SplitLast) {
  EXPECT_EQ(split_last("a.b.c"), std::pair(std::string_view("a.b"), std::string_view("c")));
  EXPECT_EQ(split_last("a"), std::pair(std::string_view(""), std::string_view("a")));
}

TEST(KeyPath, Variables) {
  EXPECT_EQ(key_from_variable("SERVERY__RUNTIME__WORKERS"), "runtime.workers");
  EXPECT_EQ(key_from_variable("SERVERY__RUNTIME__MIN_WORKERS"), "runtime.min_workers");
  EXPECT_EQ(key_from_variable("SERVERY__ROUTES__0__PATH"), "routes[0].path");
  EXPECT_EQ(key_from_variable("SERVERY_HOME"), std::nullopt);
  EXPECT_EQ(key_from_variable("PATH"), std::nullopt);
}

TEST(KeyPath, EntriesWithNamesOfTheAuthors) {
  const auto item = named_item("auth.team-2.basic.file");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->section, "auth");
  EXPECT_EQ(item->name, "team-2");
  EXPECT_EQ(item->rest, "basic.file");
  EXPECT_EQ(named_item("auth.team")->rest, "");
  EXPECT_FALSE(named_item("auth"));
  EXPECT_FALSE(named_item("authors.x"));
  EXPECT_FALSE(named_item("routes[0].auth"));
  for (const char* key : {"auth.team-2", "auth.a1.read", "auth.a_b.basic.file"}) {
    EXPECT_TRUE(is_key_path(key)) << key;
  }
  for (const char* key : {"auth.", "auth.team.", "auth.1a", "auth.A", "auth.a.b-c", "auth.-a.b"}) {
    EXPECT_FALSE(is_key_path(key)) << key;
  }
  EXPECT_TRUE(is_item_name(std::string(64, 'a')));
  EXPECT_FALSE(is_item_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace servery
