// What a person sees on stderr when the service has started: where it can be reached. Supervisor.
#pragma once

#include <string>
#include <vector>

#include "config/plan.h"
#include "supervisor/listeners.h"

namespace servery {

// URLs a browser can open for one listener: a wildcard address becomes this machine's own.
std::vector<std::string> listener_urls(const ListenerStatus& listener,
                                       const std::vector<std::string>& own_addresses);
// Numeric addresses of this machine's interfaces that are up, IPv6 in brackets; loopback left out.
std::vector<std::string> own_addresses();

// Of all of them, on this machine.
std::vector<std::string> urls_of(const std::vector<ListenerStatus>& listeners);

std::string format_banner(const Plan& plan, const std::vector<std::string>& urls,
                          const std::string& control_socket);

}  // namespace servery
