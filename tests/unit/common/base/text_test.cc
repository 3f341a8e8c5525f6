#include "common/base/text.h"

#include <gtest/gtest.h>

namespace servery {
namespace {

std::string encoded(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text);
  return out;
}

TEST(Text, PercentEncodingKeepsUnreservedCharactersOnly) {  // RFC 3986 2.3
  EXPECT_EQ(encoded("aZ09-._~"), "aZ09-._~");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(percent_decode(encoded(text)), text) << byte;
    EXPECT_EQ(encoded(text).find_first_of(" /:?#&<>\"'\\[]+;"), std::string::npos) << byte;
  }
  EXPECT_EQ(encoded("a:b"), "a%3Ab");
  EXPECT_EQ(encoded("\xff\xfe.bin"), "%FF%FE.bin");
}

TEST(Text, APathKeepsItsSlashes) {
  EXPECT_EQ(percent_encode_path("/a b/c?/"), "/a%20b/c%3F/");
  EXPECT_EQ(percent_encode_path("//"), "//");
  EXPECT_EQ(percent_encode_path(""), "");
}

TEST(Text, PercentDecodingIsDoneOnceOrNotAtAll) {
  EXPECT_EQ(percent_decode("%2541"), "%41");
  for (const char* broken : {"%", "%4", "%zz", "a%4g"}) {
    EXPECT_EQ(percent_decode(broken), std::nullopt) << broken;
  }
}

TEST(Text, HtmlHasNoMarkupLeft) {
  std::string out = "x";
  append_html_escaped(out, "<a href=\"b\" c='d'>&amp;");
  EXPECT_EQ(out, "x&lt;a href=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;");
}

TEST(Text, UnsignedNumbersAreDigitsThatFit) {
  EXPECT_EQ(parse_unsigned<std::uint8_t>("255"), 255);
  for (const char* text : {"", "256", "+1", "-1", " 1", "1 ", "0x1"}) {
    EXPECT_EQ(parse_unsigned<std::uint8_t>(text), std::nullopt) << text;
  }
}

TEST(Text, ComparesAsciiWithoutCase) {
  EXPECT_TRUE(equals_ignore_case("Keep-Alive", "kEEP-aLIVE"));
  EXPECT_FALSE(equals_ignore_case("close", "closed"));
  EXPECT_FALSE(equals_ignore_case("\xc4", "\xe4")) << "no locale";
  EXPECT_TRUE(starts_with_ignore_case("Bearer x", "bearer "));
  EXPECT_FALSE(starts_with_ignore_case("be", "bearer"));
  EXPECT_EQ(to_lower("A-Z[]"), "a-z[]");
}

TEST(Text, TrimsOptionalWhitespaceOnly) {  // RFC 9110 5.6.3
  EXPECT_EQ(trim_ows(" \t a b\t "), "a b");
  EXPECT_EQ(trim_ows("\na"), "\na");
  EXPECT_EQ(trim_ows(" \t"), "");
}

TEST(Text, NearestNameIsALikelySlip) {
  EXPECT_EQ(nearest_name("lsiting", {"listing", "archive"}), "listing");
  EXPECT_EQ(nearest_name("zzz", {"listing", "archive"}), std::nullopt);
}

TEST(Text, ASwapOfNeighboursIsOneSlip) {
  EXPECT_EQ(nearest_name("atuo", {"auto"}), "auto");
  EXPECT_EQ(nearest_name("utao", {"auto"}), std::nullopt) << "two slips in four letters";
}

}  // namespace
}  // namespace servery
