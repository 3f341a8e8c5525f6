#include "worker/http/query.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace servery::http {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(std::string_view query) {
  Pairs pairs;
  QueryCursor cursor(query);
  for (std::string_view key, value; cursor.next(key, value);) pairs.emplace_back(key, value);
  return pairs;
}

TEST(Query, IsPairs) {
  EXPECT_EQ(pairs_of(""), Pairs{});
  EXPECT_EQ(pairs_of("a=1&b=2"), (Pairs{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(pairs_of("a"), (Pairs{{"a", ""}}));
  EXPECT_EQ(pairs_of("a="), (Pairs{{"a", ""}}));
  EXPECT_EQ(pairs_of("=a"), (Pairs{{"", "a"}}));
  EXPECT_EQ(pairs_of("a=b=c"), (Pairs{{"a", "b=c"}}));
  EXPECT_EQ(pairs_of("&&a&"), (Pairs{{"", ""}, {"", ""}, {"a", ""}}));
}

TEST(Query, ValuesAreDecodedOnce) {
  EXPECT_EQ(decode_query_value("a+b%20c"), "a b c");
  EXPECT_EQ(decode_query_value("%2B%252B"), "+%2B");
  EXPECT_EQ(decode_query_value("%C3%A4%00"), std::string("\xc3\xa4\0", 3));
  EXPECT_FALSE(decode_query_value("%"));
  EXPECT_FALSE(decode_query_value("%4"));
  EXPECT_FALSE(decode_query_value("%zz"));
}

}  // namespace
}  // namespace servery::http
