#include "worker/http/media_ranges.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

TEST(MediaRanges, MatchWithoutParametersAndCase) {
  const MediaRanges ranges({"application/PDF", "video/*"});
  EXPECT_TRUE(ranges.match("application/pdf"));
  EXPECT_TRUE(ranges.match("application/pdf; version=2"));
  EXPECT_TRUE(ranges.match("Video/mp4"));
  EXPECT_FALSE(ranges.match("application/pdfx"));
  EXPECT_FALSE(ranges.match("videos/mp4"));
  EXPECT_TRUE(MediaRanges({"*/*"}).match("a/b"));
  EXPECT_FALSE(MediaRanges({}).match("a/b"));
}

}  // namespace
}  // namespace servery::http
