#include "worker/features/listing/listing_query.h"

#include <gtest/gtest.h>

namespace servery::listing {
namespace {

Query parsed(std::string_view text, std::string_view accept = {}) {
  Query query;
  const auto refusal = parse_query(text, accept, query);
  EXPECT_FALSE(refusal) << text;
  return query;
}
int refused(std::string_view text) {
  Query query;
  const auto refusal = parse_query(text, {}, query);
  return refusal ? refusal->status : 0;
}

TEST(ListingQuery, NothingAskedIsNamesInHtml) {
  const Query query = parsed("");
  EXPECT_EQ(query.order, (Order{Sort::kName, false}));
  EXPECT_EQ(query.format, Format::kHtml);
  EXPECT_EQ(query.limit, 0U);
  EXPECT_FALSE(query.cursor);
  EXPECT_EQ(format_query(query), "?");
}

TEST(ListingQuery, EachKeyIsRead) {
  const Query query = parsed("sort=time&order=desc&q=a%2Fb+c&limit=10&format=ndjson");
  EXPECT_EQ(query.order, (Order{Sort::kTime, true}));
  EXPECT_EQ(query.filter, "a/b c");
  EXPECT_EQ(query.limit, 10U);
  EXPECT_EQ(query.format, Format::kNdjson);
  EXPECT_TRUE(query.names_format);
}

TEST(ListingQuery, UnknownKeysAreIgnored) {
  EXPECT_EQ(parsed("utm=%zz&x&=&sort=size&&y=1").order.sort, Sort::kSize);
}

TEST(ListingQuery, BadValuesAreRefused) {
  for (const std::string_view text :
       {"sort=", "sort=Name", "sort=<x>", "order=up", "format=xml", "limit=0", "limit=-1",
        "limit=1e3", "limit=100001", "limit=99999999999999999999", "q=%zz", "cursor=!",
        "cursor=AAAA"}) {
    EXPECT_EQ(refused(text), 400) << text;
  }
  EXPECT_EQ(refused("q=" + std::string(256, 'a')), 400);
  EXPECT_EQ(refused("cursor=" + std::string(5000, 'A')), 400);
}

TEST(ListingQuery, ItsTextParsesBackToIt) {
  for (const char* text : {"?", "?sort=size", "?order=desc",
                           "?format=json&sort=time&order=desc&q=%3C%26%22%20%FF&limit=7"}) {
    EXPECT_EQ(format_query(parsed(std::string_view(text).substr(1))), text);
  }
}

TEST(ListingQuery, ACursorComesBackAsItWas) {
  const std::string name = "a\xff\n&\"<z";
  for (const Sort sort : {Sort::kName, Sort::kSize, Sort::kTime}) {
    for (const bool flag : {false, true}) {
      const Order order{sort, flag};
      const Cursor cursor{flag, {!flag, -123'456'789'012, name}};
      const auto back = decode_cursor(order, encode_cursor(order, cursor));
      ASSERT_TRUE(back);
      EXPECT_EQ(back->backwards, flag);
      EXPECT_EQ(back->place.is_directory, !flag);
      EXPECT_EQ(back->place.value, -123'456'789'012);
      EXPECT_EQ(back->place.name, name);
    }
  }
}

TEST(ListingQuery, ACursorOfAnotherOrderIsRefused) {
  const std::string text = encode_cursor({Sort::kName, false}, {false, {false, 0, "a"}});
  EXPECT_TRUE(decode_cursor({Sort::kName, false}, text));
  EXPECT_FALSE(decode_cursor({Sort::kName, true}, text));
  EXPECT_FALSE(decode_cursor({Sort::kSize, false}, text));
  EXPECT_EQ(refused("sort=size&cursor=" + text), 400);
  EXPECT_EQ(refused("cursor=" + text), 0);
}

TEST(ListingQuery, ADamagedCursorIsRefused) {
  const std::string text = encode_cursor({}, {false, {false, 0, "a"}});
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(decode_cursor({}, text.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode_cursor({}, text + "="));
  EXPECT_FALSE(decode_cursor({}, "B" + text.substr(1)));  // another version
}

TEST(ListingQuery, AcceptChoosesTheFormat) {  // RFC 9110 12.5.1
  EXPECT_EQ(choose_format(""), Format::kHtml);
  EXPECT_EQ(choose_format("*/*"), Format::kHtml);
  EXPECT_EQ(choose_format("application/json"), Format::kJson);
  EXPECT_EQ(choose_format("application/*"), Format::kJson);
  EXPECT_EQ(choose_format("Application/JSON;charset=utf-8, */*;q=0.1"), Format::kJson);
  EXPECT_EQ(choose_format("application/x-ndjson"), Format::kNdjson);
  EXPECT_EQ(choose_format("application/ndjson, application/json;q=0.9"), Format::kNdjson);
  EXPECT_EQ(choose_format("text/html;q=0.5, application/json;q=0.6"), Format::kJson);
  EXPECT_EQ(choose_format("text/html, application/json"), Format::kHtml);
  EXPECT_EQ(choose_format("text/html;q=0, application/json;q=0.001"), Format::kJson);
  EXPECT_EQ(choose_format("application/json;q=2, image/png"), Format::kHtml);
  EXPECT_EQ(choose_format("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
            Format::kHtml);
}

TEST(ListingQuery, TheQueryOutranksAccept) {
  EXPECT_EQ(parsed("format=html", "application/json").format, Format::kHtml);
}

}  // namespace
}  // namespace servery::listing
