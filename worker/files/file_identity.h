// What tells one state of a file from another: device, inode, size and both times in nanoseconds.
// A plain value; any thread.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/base/clock.h"

namespace servery::files {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;

  static FileIdentity of(const struct stat& st) {
    return {st.st_dev, st.st_ino, static_cast<std::uint64_t>(st.st_size), nanoseconds(st.st_mtim),
            nanoseconds(st.st_ctim)};
  }

  // True if a later write must give another ctime. File times come from a coarse clock, so a write
  // within the tick of the last one leaves no trace; `looked_at` is the time before the first look.
  bool is_settled(WallTime looked_at) const {
    return looked_at.time_since_epoch().count() - ctime_ns > kTickBound;
  }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  // 64 bits of nanoseconds end in 2262; file systems give what they are told.
  static constexpr std::int64_t kLastSecond =
      std::numeric_limits<std::int64_t>::max() / kSecond - 1;
  static std::int64_t nanoseconds(const timespec& time) {
    const std::int64_t seconds = std::clamp<std::int64_t>(time.tv_sec, -kLastSecond, kLastSecond);
    return seconds * kSecond + time.tv_nsec;
  }

  static constexpr std::int64_t kTickBound = 20'000'000;  // a tick is at most 10 ms (HZ=100)
};

}  // namespace servery::files
