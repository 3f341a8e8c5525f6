#include "worker/http/syntax.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::http {
namespace {

std::vector<std::string> members(std::string_view value) {
  std::vector<std::string> all;
  ListCursor cursor(value);
  for (std::string_view member; cursor.next(member);) all.emplace_back(member);
  return all;
}

using Members = std::vector<std::string>;

TEST(Syntax, TokenIsTcharsAndNotEmpty) {  // RFC 9110 5.6.2
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09azAZ"));
  EXPECT_FALSE(is_token(""));
  const std::string_view delimiters = "\"(),/:;<=>?@[\\]{} \t\x7f";
  for (char c : delimiters) EXPECT_FALSE(is_token_char(c)) << c;
  for (int c = 0x80; c <= 0xff; ++c) EXPECT_FALSE(is_token_char(static_cast<char>(c)));
}

TEST(Syntax, FieldValueAtEveryPositionOfAWord) {  // RFC 9110 5.5
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_legal = byte == '\t' || (byte >= 0x20 && byte != 0x7f);
    for (std::size_t at = 0; at < 19; ++at) {
      std::string text(19, 'a');
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(is_field_value(text), is_legal) << byte << " at " << at;
    }
  }
  EXPECT_TRUE(is_field_value(""));
}

TEST(Syntax, LowercaseTokenStopsAtTheFirstOtherByte) {
  std::string text = "X-Fo_O: Bar";
  EXPECT_EQ(lowercase_token(text.data(), text.data() + text.size()), text.data() + 6);
  EXPECT_EQ(text, "x-fo_o: Bar");
  EXPECT_EQ(lowercase_token(text.data(), text.data()), text.data());
}

TEST(Syntax, ListSkipsEmptyMembersAndKeepsQuotedCommas) {  // RFC 9110 5.6.1
  EXPECT_EQ(members("a, b\t,c"), (Members{"a", "b", "c"}));
  EXPECT_EQ(members(" , ,a,, "), (Members{"a"}));
  EXPECT_EQ(members(""), Members{});
  EXPECT_EQ(members("x=\"1,2\", y"), (Members{"x=\"1,2\"", "y"}));
  EXPECT_EQ(members("x=\"1\\\",2\", y"), (Members{"x=\"1\\\",2\"", "y"}));
  EXPECT_EQ(members("\"open, y\\"), (Members{"\"open, y\\"}));
}

}  // namespace
}  // namespace servery::http
