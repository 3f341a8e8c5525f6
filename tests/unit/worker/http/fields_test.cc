#include "worker/http/fields.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::http {
namespace {

std::string text_of(const ResponseFields& fields) {
  std::string text;
  for (const ResponseField& field : fields) text += field.name + "=" + field.value + ";";
  return text;
}

TEST(Fields, EveryIdIsFoundByItsName) {
  for (int i = 1; i <= static_cast<int>(FieldId::kWantReprDigest); ++i) {
    const auto id = static_cast<FieldId>(i);
    EXPECT_EQ(field_id(field_name(id)), id) << field_name(id);
    std::string other(field_name(id));
    other.back() = '~';
    EXPECT_EQ(field_id(other), FieldId::kOther) << other;
  }
  EXPECT_EQ(field_id(""), FieldId::kOther);
  EXPECT_EQ(field_id("x-anything-else-at-all"), FieldId::kOther);
}

TEST(Fields, RequestFieldsFindTheFirstAndCountAll) {
  RequestFields fields;
  fields.add({FieldId::kOther, "x-a", "1"});
  fields.add({FieldId::kHost, "host", "first"});
  fields.add({FieldId::kHost, "host", "second"});
  EXPECT_EQ(fields.find(FieldId::kHost)->value, "first");
  EXPECT_EQ(fields.find("x-a")->value, "1");
  EXPECT_EQ(fields.find("x-b"), nullptr);
  EXPECT_EQ(fields.count(FieldId::kHost), 2U);
  EXPECT_EQ(fields.count(FieldId::kRange), 0U);
  EXPECT_TRUE(fields.has(FieldId::kHost));
  EXPECT_FALSE(fields.has(FieldId::kRange));
  EXPECT_TRUE(
      fields.has_any(RequestFields::bit(FieldId::kRange) | RequestFields::bit(FieldId::kHost)));
  fields.clear();
  EXPECT_FALSE(fields.has(FieldId::kHost));
  EXPECT_EQ(fields.size(), 0U);
}

TEST(Fields, SetReplacesAllOfThatNameInPlace) {
  ResponseFields fields;
  fields.add("a", "1");
  fields.add("b", "2");
  fields.add("a", "3");
  fields.set("a", "4");
  EXPECT_EQ(text_of(fields), "a=4;b=2;");
  fields.set("c", "5");
  fields.remove("b");
  EXPECT_EQ(text_of(fields), "a=4;c=5;");
  EXPECT_EQ(*fields.find("c"), "5");
  EXPECT_EQ(fields.find("b"), nullptr);
}

TEST(Fields, PolicyRemovesThenSetsThenAdds) {
  HeaderPolicy policy;
  policy.remove = {"a", "s"};
  policy.set = {{"s", "set"}};
  policy.add = {{"s", "added"}};
  ResponseFields fields;
  fields.add("a", "1");
  fields.add("s", "old");
  fields.add("k", "kept");
  policy.apply(fields);
  EXPECT_EQ(text_of(fields), "k=kept;s=set;s=added;");
}

}  // namespace
}  // namespace servery::http
