// The files that `error_pages` names: read and checked by the check child, see config/named_files.h
// for how they come to the workers.
#pragma once

#include <vector>

#include "config/load.h"
#include "config/named_files.h"
#include "config/plan.h"

namespace servery {

inline constexpr std::size_t kMaxErrorPageBytes = 256 * 1024;
inline constexpr std::size_t kMaxErrorPagesBytes = 4 * 1024 * 1024;  // of all together
inline constexpr std::size_t kMaxErrorPages = 64;

// Each file once, the top level's first. One that cannot be used is one problem, at the first place
// that names it. Blocks.
std::vector<NamedFile> read_error_pages(const Loaded& loaded, std::vector<Problem>& problems);

}  // namespace servery
