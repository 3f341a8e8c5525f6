// What one run of the hammer does: the server, the expected bodies, and how much of each mode.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hammer {

// A request path and the body that its 200 answer must have.
struct Expectation {
  std::string path;
  std::uint64_t length = 0;
  std::uint32_t crc = 0;
};

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

struct Options {
  Address address;
  std::string host = "localhost";
  std::vector<Expectation> files;   // fresh, preconnect, keepalive, pipelined; taken in turn
  std::optional<Expectation> big;   // download
  std::optional<Expectation> sink;  // post, upload: answers 200 to a body
  double fresh_rate = 0;            // new connections a second
  bool fresh_half = false;          // fresh_rate is half of what a first measurement reaches
  double preconnect_rate = 0;
  unsigned keepalive = 0;  // connections of each of these modes
  unsigned post = 0;
  unsigned pipelined = 0;
  unsigned download = 0;
  unsigned upload = 0;
  double seconds = 0;   // 0: until SIGTERM or SIGINT
  double timeout = 10;  // from the first byte of a request to the last of its answer
  unsigned seed = 1;
};

// Prints usage to stderr and returns nothing for arguments that it does not understand.
std::optional<Options> parse_options(int argc, char** argv);

}  // namespace hammer
