#include "worker/features/archive/archive_query.h"

#include <gtest/gtest.h>

namespace servery::archive {
namespace {

Query parsed(std::string_view text) {
  Query query;
  EXPECT_FALSE(parse_query(text, query)) << text;
  return query;
}
int refused(std::string_view text) {
  Query query;
  const auto refusal = parse_query(text, query);
  return refusal ? refusal->status : 0;
}

TEST(ArchiveQuery, TheKeyClaimsTheRequest) {
  EXPECT_TRUE(asks_for_archive("archive=zip"));
  EXPECT_TRUE(asks_for_archive("a=b&archive"));
  EXPECT_FALSE(asks_for_archive(""));
  EXPECT_FALSE(asks_for_archive("x=archive&archives=zip&entry=archive"));
}

TEST(ArchiveQuery, FormatsByName) {
  EXPECT_EQ(parsed("archive=zip").format, Format::kZip);
  EXPECT_EQ(parsed("archive=tar").format, Format::kTar);
  EXPECT_EQ(parsed("archive=tar.gz").format, Format::kTarGz);
  EXPECT_EQ(parsed("archive=tar.zst").format, Format::kTarZst);
  for (const std::string_view bad :
       {"archive=", "archive", "archive=rar", "archive=ZIP", "archive=zip%20"}) {
    EXPECT_EQ(refused(bad), 400) << bad;
  }
}

TEST(ArchiveQuery, EntriesAreChildrenEachOnce) {
  EXPECT_EQ(parsed("archive=zip&entry=b+c&entry=a%2Bx&entry=b%20c&entry=%FF&entry=d/").entries,
            (std::vector<std::string>{"a+x", "b c", "d", "\xff"}));
}

TEST(ArchiveQuery, NoEntryLeadsAnywhereElse) {
  for (const std::string_view bad : {"entry=", "entry=.", "entry=..", "entry=../a", "entry=a/b",
                                     "entry=/", "entry=%2Fetc", "entry=a%00b", "entry=..%2F"}) {
    EXPECT_EQ(refused(bad), 404) << bad;
  }
  EXPECT_EQ(refused("entry=%zz"), 400);
}

}  // namespace
}  // namespace servery::archive
