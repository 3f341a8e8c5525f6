// Rules that need more than one value, or the machine: overlapping routes, duplicate listeners,
// roots, users, hosts. Every problem, with the position of the value to change. Has no side effect;
// may block on file systems and name services: check child only.
#pragma once

#include <vector>

#include "config/check.h"
#include "config/load.h"

namespace servery {

std::vector<Problem> validate(const Loaded& loaded, const CheckEnvironment& environment,
                              std::uint32_t workers);

}  // namespace servery
