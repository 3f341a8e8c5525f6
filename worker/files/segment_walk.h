// A contained open for kernels without openat2 (before 5.6, or behind a filter): every segment by
// an open of its own, links read and followed by hand. The meaning of openat2 with RESOLVE_BENEATH
// and RESOLVE_NO_MAGICLINKS, without its speed. Blocks: pool threads only.
#pragma once

namespace servery::files {

// An open descriptor, or -1 with the errno openat2 would give: EXDEV for a step outside `root`,
// ELOOP for a link that may not be followed or too many of them.
int open_by_segments(int root, const char* path, int flags, bool follow_links);

}  // namespace servery::files
