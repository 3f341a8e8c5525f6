// A whole small file that an operator named: a configuration, a password file. Blocks; never on a
// loop.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.h"

namespace servery {

// kTooLarge above `max` bytes; kInvalid: not a regular file (a FIFO does not hang the reader). The
// error's text says why, without the path.
Result<std::string> read_regular_file(const std::string& path, std::size_t max);

}  // namespace servery
