// The written form of a place to listen, parsed once: into the listener of a plan. Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/plan.h"
#include "config/syntax.h"

namespace servery {

struct ParsedAddress {
  PlanListener listener;  // `configured` is the text as given; `mode` is not set
  SyntaxCheck fault;      // what is wrong with it; the listener is then meaningless
};

// ":443", "0.0.0.0:443", "[::]:443", "127.0.0.1:0", "unix:PATH", "fd:NAME", "fd:N".
ParsedAddress parse_address(std::string_view text);

// What --listen takes beside that: "8000" is port 8000 on the profile's own host, 127.0.0.1.
std::string address_from_flag(std::string_view text);

// Both would bind one and the same address and port.
bool same_socket(const PlanListener& a, const PlanListener& b);

}  // namespace servery
