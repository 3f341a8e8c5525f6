// The command line of bench/load.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace servery::bench {

struct Options {
  std::uint16_t port = 0;
  std::string host;     // of the Host field; default 127.0.0.1:PORT
  std::string targets;  // file, see TargetList
  std::vector<std::string> headers;
  std::size_t connections = 64;
  std::size_t depth = 1;             // requests a connection has under way
  std::uint64_t per_connection = 0;  // requests, then a new connection; 0: one for all
  double seconds = 1;                // measured
  double warmup = 0.2;               // before that, not measured
  std::uint64_t requests = 0;        // instead of a time: exactly so many
  double rate = 0;                   // open loop: requests a second, whatever the answers do
  std::size_t compare = 1;           // every n-th body byte for byte
  bool random = false;               // targets at random, else in turn
  bool hold = false;                 // one answer a connection, then keep all open
  std::uint64_t seed = 1;
  std::vector<pid_t> watch;  // processes whose run time is measured over the same window
};

inline constexpr const char* kUsage =
    "usage: load --port PORT --targets FILE [options]\n"
    "  FILE holds lines `PATH STATUS FILE [OFFSET LENGTH]`: the body every answer must have\n"
    "  --connections N --depth N     under way at once: connections, requests on each\n"
    "  --per-connection N            requests on a connection, the last with Connection: close\n"
    "  --seconds S --warmup S        closed loop for a time, or\n"
    "  --requests N                  for a number of requests, or\n"
    "  --rate R                      open loop at R requests a second (with --seconds)\n"
    "  --hold                        one answer a connection, print a line, at end of input ask\n"
    "                                once more on each\n"
    "  --random --seed N             targets at random instead of in turn\n"
    "  --compare N                   compare every n-th body (status and length: always)\n"
    "  --header 'Name: value'  --host NAME  --watch PID (repeatable)\n"
    "Prints one JSON object; exit 0 when every answer was complete and right.\n";

Result<Options> parse_options(int argc, char** argv);

}  // namespace servery::bench
