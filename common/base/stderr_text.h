// Text for stderr from processes that serve. Any role and thread. Whoever reads a pipe may stall or
// leave, a disk may fill up, a terminal may be stopped: none of that may hold a loop or end a
// process.
#pragma once

#include <cstdint>
#include <string_view>

namespace servery {

// One write(2), if stderr takes it now; what it does not take is dropped and counted.
void write_stderr(std::string_view text);
// Texts dropped since the start of the process.
std::uint64_t dropped_stderr_texts();

}  // namespace servery
