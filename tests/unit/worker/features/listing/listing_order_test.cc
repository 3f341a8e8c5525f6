#include "worker/features/listing/listing_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace servery::listing {
namespace {

Entry file(std::string_view name, std::uint64_t size = 0, std::int64_t mtime = 0) {
  return {.name = name, .has_facts = true, .size = size, .mtime = mtime};
}
Entry directory(std::string_view name, std::int64_t mtime = 0) {
  return {.name = name, .kind = EntryKind::kDirectory, .has_facts = true, .mtime = mtime};
}

std::vector<std::string_view> sorted(const Order& order, std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [&order](const Entry& a, const Entry& b) { return comes_before(order, a, b); });
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

using Names = std::vector<std::string_view>;

TEST(ListingOrder, NumbersCountByValueAndLettersWithoutCase) {
  EXPECT_EQ(sorted({}, {file("a10"), file("B1"), file("a9"), file("a2b"), file("A2"), file("_")}),
            (Names{"_", "A2", "a2b", "a9", "a10", "B1"}));
}

TEST(ListingOrder, NumbersOfAnyLengthDoNotOverflow) {
  const std::string small(200, '8');
  const std::string large(200, '9');
  EXPECT_LT(compare_names(small, large), 0);
  EXPECT_GT(compare_names("1" + small, large), 0);
  EXPECT_LT(compare_names("7", small), 0);
}

TEST(ListingOrder, OnlyTheSameBytesAreEqual) {
  EXPECT_EQ(compare_names("a1", "a1"), 0);
  EXPECT_NE(compare_names("a1", "a01"), 0);
  EXPECT_NE(compare_names("a", "A"), 0);
  EXPECT_EQ(compare_names("a1", "a01") < 0, compare_names("a01", "a1") > 0);
}

// A total order over a nasty set: antisymmetric and transitive.
TEST(ListingOrder, IsATotalOrder) {
  const Names names = {"a",  "A",  "a0", "a00", "a1", "a01", "a1b",  "a01b",     "0",  "00",  "1",
                       "1a", "01", "a-", "a.",  "aa", "a b", "\xff", "\xc3\xa4", "z9", "z10", "Z9"};
  for (const auto a : names) {
    for (const auto b : names) {
      EXPECT_EQ(compare_names(a, b) < 0, compare_names(b, a) > 0) << a << " " << b;
      for (const auto c : names) {
        if (compare_names(a, b) < 0 && compare_names(b, c) < 0) {
          EXPECT_LT(compare_names(a, c), 0) << a << " " << b << " " << c;
        }
      }
    }
  }
}

TEST(ListingOrder, DirectoriesComeFirstInEveryOrder) {
  const std::vector<Entry> entries = {file("b", 1, 9), directory("z", 1), file("a", 5, 3),
                                      directory("y", 7)};
  EXPECT_EQ(sorted({Sort::kName, false}, entries), (Names{"y", "z", "a", "b"}));
  EXPECT_EQ(sorted({Sort::kName, true}, entries), (Names{"z", "y", "b", "a"}));
  EXPECT_EQ(sorted({Sort::kSize, false}, entries), (Names{"y", "z", "b", "a"}));
  EXPECT_EQ(sorted({Sort::kSize, true}, entries), (Names{"y", "z", "a", "b"}));
  EXPECT_EQ(sorted({Sort::kTime, false}, entries), (Names{"z", "y", "a", "b"}));
  EXPECT_EQ(sorted({Sort::kTime, true}, entries), (Names{"y", "z", "b", "a"}));
}

TEST(ListingOrder, APlaceKeepsItsSideWhenItsEntryIsGone) {
  for (const Sort sort : {Sort::kName, Sort::kSize, Sort::kTime}) {
    for (const bool descending : {false, true}) {
      const Order order{sort, descending};
      const Entry a = file("a", 1, 1);
      const Entry b = file("b", 2, 2);
      const Place place = place_of(order, a);
      EXPECT_EQ(compare_to_place(order, a, place), 0);
      EXPECT_EQ(compare_to_place(order, b, place) > 0, comes_before(order, a, b));
      EXPECT_LT(compare_to_place(order, directory("zz", 5), place), 0);
    }
  }
}

}  // namespace
}  // namespace servery::listing
