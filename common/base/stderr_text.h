// Text for stderr from processes that serve. Any role and thread. Whoever reads a pipe may stall or
// leave, a disk may fill up, a terminal may be stopped: none of that may hold a loop or end a
// process.
#pragma once

#include <string_view>

namespace servery {

// Writes `text` if stderr takes it now, else drops it. Before the next one that is taken stands a
// line that says how many were dropped. Up to PIPE_BUF bytes leave in one write(2).
void write_stderr(std::string_view text);

}  // namespace servery
