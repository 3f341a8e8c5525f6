#include "config/text_check.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

TEST(TextCheck, TakesUtf8) {
  EXPECT_FALSE(find_bad_text("plain\ttext\r\n"));
  EXPECT_FALSE(find_bad_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  EXPECT_FALSE(find_bad_text(""));
}

TEST(TextCheck, RefusesWhatIsNotUtf8_Rfc3629) {
  for (const char* text : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    const auto bad = find_bad_text(text);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->reason, "invalid_utf8");
  }
}

TEST(TextCheck, ColumnsCountCharacters) {
  const auto bad = find_bad_text("a\n\xc3\xa9\xc3\xa9\x01");
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->position.line, 2u);
  EXPECT_EQ(bad->position.column, 3u);
  EXPECT_EQ(bad->reason, "invalid_character");
}

}  // namespace
}  // namespace servery
