// The worker role's entry: all that main.cc sees of a worker. Drops privileges before it parses
// anything, then serves what the supervisor tells it to until it is told to leave or the supervisor
// is gone. Returns the process's exit code.
#pragma once

namespace servery {

// Takes ownership of `channel_fd`, one end of an ipc::Channel.
int run_worker(int channel_fd);

}  // namespace servery
