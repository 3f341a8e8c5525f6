// What tells one state of a file from another: device, inode, size and both times in nanoseconds.
// A plain value; any thread.
#pragma once

#include <sys/stat.h>

#include <cstdint>

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
    return {st.st_dev, st.st_ino, static_cast<std::uint64_t>(st.st_size),
            st.st_mtim.tv_sec * kSecond + st.st_mtim.tv_nsec,
            st.st_ctim.tv_sec * kSecond + st.st_ctim.tv_nsec};
  }

  // True if a later write must give another ctime. File times come from a coarse clock, so a write
  // within the tick of the last one leaves no trace; `looked_at` is the time before the first look.
  bool is_settled(WallTime looked_at) const {
    return looked_at.time_since_epoch().count() - ctime_ns > kTickBound;
  }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::int64_t kTickBound = 20'000'000;  // a tick is at most 10 ms (HZ=100)
};

}  // namespace servery::files
