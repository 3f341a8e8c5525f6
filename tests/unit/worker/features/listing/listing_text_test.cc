#include "worker/features/listing/listing_text.h"

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/base/text.h"

namespace servery::listing {
namespace {

std::string html(std::string_view name) {
  std::string out;
  append_html_name(out, name);
  return out;
}
std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}
std::string size_text(std::uint64_t bytes) {
  std::string out;
  append_size(out, bytes);
  return out;
}

TEST(ListingText, MarkupInNamesIsEscaped) {
  EXPECT_EQ(html("<img src=x onerror='a&b'>\""),
            "&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;&quot;");
}

TEST(ListingText, ControlsAndDeceptionsAreShown) {
  EXPECT_EQ(html("a\nb\x7f"),
            "a\xE2\x90\x8A"
            "b\xE2\x90\xA1");
  EXPECT_EQ(html("a\xE2\x80\xAE"
                 "b"),
            "a\xEF\xBF\xBD"
            "b");  // right-to-left override
  EXPECT_EQ(html("\xE2\x81\xA7"), "\xEF\xBF\xBD");
  EXPECT_EQ(html("\xC2\x85"), "\xEF\xBF\xBD");  // C1
  EXPECT_EQ(html("\xff"
                 "a\xC3\xA4"),
            "\xEF\xBF\xBD"
            "a\xC3\xA4");
}

TEST(ListingText, JsonStringsParseBack) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    EXPECT_EQ(parse_json(json(text), 100)->get<std::string>(), text) << byte;
  }
  EXPECT_EQ(parse_json(json("\xff\xC3\xA4"), 100)->get<std::string>(), "\xEF\xBF\xBD\xC3\xA4");
}

TEST(ListingText, SizesAreShort) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(10 * 1024), "10 KiB");
  EXPECT_EQ(size_text(1024 * 1024 - 1), "1023 KiB");
  EXPECT_EQ(size_text(UINT64_MAX), "15 EiB");
  std::string grouped;
  append_grouped(grouped, 1'234'567);
  EXPECT_EQ(grouped, "1,234,567");
  grouped.clear();
  append_grouped(grouped, 999);
  EXPECT_EQ(grouped, "999");
}

TEST(ListingText, TimesOutsideTheCalendarGiveNothing) {
  std::string text;
  EXPECT_TRUE(append_iso_time(text, 0));
  EXPECT_EQ(text, "1970-01-01T00:00:00Z");
  text.clear();
  EXPECT_TRUE(append_short_time(text, 1'700'000'000));
  EXPECT_EQ(text, "2023-11-14 22:13");
  text.clear();
  EXPECT_FALSE(append_iso_time(text, INT64_MAX));
  EXPECT_FALSE(append_iso_time(text, 253'402'300'800));  // the year 10000
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace servery::listing
