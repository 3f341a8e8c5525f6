// A contained open that reads and follows links by hand, every segment by an open of its own
// beneath the one before. For what openat2 with RESOLVE_BENEATH cannot do: links whose text begins
// at "/" or climbs above the root and yet leads into it; and for kernels without it (before 5.6, or
// behind a filter). Nothing outside the root is ever opened. Blocks: pool threads only.
#pragma once

#include <string_view>

namespace servery::files {

struct WalkRoot {
  int fd = -1;
  // Where the root is, for links that name it: as it was configured, and without links. Absolute;
  // empty where that is not known.
  std::string_view name = {};
  std::string_view place = {};
};

// An open descriptor, or -1 with the errno openat2 would give: EXDEV for a step outside the root,
// ELOOP for a link that may not be followed or too many of them.
int open_by_segments(const WalkRoot& root, const char* path, int flags, bool follow_links);

}  // namespace servery::files
