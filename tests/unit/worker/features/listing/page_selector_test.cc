#include "worker/features/listing/page_selector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace servery::listing {
namespace {

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

struct Page {
  std::vector<std::string> names;
  PageCounts counts;
  std::optional<Cursor> first, last;
};

// The page of a directory whose names arrive in a random order.
Page select(std::vector<std::string> names, const std::optional<Cursor>& cursor,
            std::size_t limit) {
  std::shuffle(names.begin(), names.end(), std::mt19937(1));
  PageSelector selector({}, cursor, limit);
  for (const std::string& name : names) selector.add({.name = name});
  selector.finish();
  Page page;
  page.counts = selector.counts();
  const EntryList& entries = selector.page();
  for (std::size_t i = 0; i < entries.size(); ++i) page.names.emplace_back(entries[i].name);
  if (!entries.empty()) {
    page.first = Cursor{true, place_of({}, entries[0])};
    page.last = Cursor{false, place_of({}, entries[entries.size() - 1])};
  }
  return page;
}

TEST(PageSelector, PagesForwardsGiveEveryNameOnceInOrder) {
  const auto names = numbered(1000);
  std::vector<std::string> seen;
  std::optional<Cursor> cursor;
  while (seen.size() < names.size()) {
    const Page page = select(names, cursor, 70);
    ASSERT_FALSE(page.names.empty());
    EXPECT_EQ(page.counts.before, seen.size());
    EXPECT_EQ(page.counts.total(), names.size());
    seen.insert(seen.end(), page.names.begin(), page.names.end());
    cursor = page.last;
  }
  EXPECT_EQ(seen, names);
  EXPECT_TRUE(select(names, cursor, 70).names.empty());
}

TEST(PageSelector, PagesBackwardsGiveWhatCameBefore) {
  const auto names = numbered(100);
  const Page third = select(names, Cursor{false, {false, 0, "f19"}}, 10);
  ASSERT_EQ(third.names.front(), "f20");
  const Page second = select(names, third.first, 10);
  EXPECT_EQ(second.names.front(), "f10");
  EXPECT_EQ(second.names.back(), "f19");
  EXPECT_EQ(second.counts.before, 10U);
  const Page none = select(names, Cursor{true, {false, 0, "f0"}}, 10);
  EXPECT_TRUE(none.names.empty());
  EXPECT_EQ(none.counts.before, 0U);
}

TEST(PageSelector, InsertsAndDeletionsDoNotShiftTheNextPage) {  // reference B66
  auto names = numbered(30);
  const Page first = select(names, std::nullopt, 10);
  ASSERT_EQ(first.names.back(), "f9");
  names.push_back("a new one in front");
  names.erase(std::find(names.begin(), names.end(), "f9"));  // the cursor's own entry
  names.erase(std::find(names.begin(), names.end(), "f3"));
  EXPECT_EQ(select(names, first.last, 10).names.front(), "f10");
}

TEST(PageSelector, MemoryIsBoundedByThePage) {
  PageSelector selector({}, std::nullopt, 100);
  std::size_t most = 0;
  for (int i = 100'000; i > 0; --i) {
    selector.add({.name = "name" + std::to_string(i)});
    most = std::max(most, selector.page().size());
  }
  selector.finish();
  EXPECT_LE(most, 200U);
  EXPECT_EQ(selector.page()[99].name, "name100");
  EXPECT_EQ(selector.counts().total(), 100'000U);
}

TEST(PageSelector, LongNamesShortenThePageInsteadOfGrowingIt) {
  PageSelector selector({}, std::nullopt, 100'000);
  const std::string pad(240, 'x');
  for (int i = 0; i < 100'000; ++i) selector.add({.name = pad + std::to_string(i)});
  selector.finish();
  EXPECT_LE(selector.page().name_bytes(), std::size_t{9} * 1024 * 1024);
  ASSERT_GT(selector.page().size(), 1000U);
  EXPECT_EQ(selector.page()[999].name, pad + "999");
}

TEST(PageSelector, CountsDirectoriesApart) {
  PageSelector selector({}, std::nullopt, 10);
  selector.add({.name = "d", .kind = EntryKind::kDirectory});
  selector.add({.name = "f"});
  selector.add({.name = "x", .kind = EntryKind::kUnavailable});
  selector.finish();
  EXPECT_EQ(selector.counts().directories, 1U);
  EXPECT_EQ(selector.counts().others, 2U);
  EXPECT_EQ(selector.page()[0].name, "d");
}

}  // namespace
}  // namespace servery::listing
