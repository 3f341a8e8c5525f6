#include "worker/files/file_identity.h"

#include <gtest/gtest.h>

#include <limits>

namespace servery::files {
namespace {

FileIdentity with_mtime(time_t seconds) {
  struct stat st {};
  st.st_mtim.tv_sec = seconds;
  st.st_mtim.tv_nsec = 5;
  return FileIdentity::of(st);
}

TEST(FileIdentity, TimesBeyondSixtyFourBitsOfNanosecondsStayFarAway) {
  constexpr std::int64_t kYear2262 = 9'223'372'035;
  EXPECT_EQ(with_mtime(kYear2262).mtime_ns, kYear2262 * 1'000'000'000 + 5);
  for (const time_t later : {time_t{9'223'458'436}, std::numeric_limits<time_t>::max()}) {
    EXPECT_GE(with_mtime(later).mtime_ns, kYear2262 * 1'000'000'000) << later;
  }
  EXPECT_LT(with_mtime(std::numeric_limits<time_t>::min()).mtime_ns, 0);
}

}  // namespace
}  // namespace servery::files
