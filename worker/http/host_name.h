// Host names as they stand in Host, :authority and absolute targets (RFC 9110 7.2, RFC 3986 3.2).
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace servery::http {

inline constexpr std::size_t kMaxHostSize = 255;  // as long as a DNS name can be

struct HostAndPort {
  std::string_view host;   // without port, brackets kept
  std::string_view port;   // the digits, empty if none
  bool has_upper = false;  // `host` is not lowercase
};

// host [ ":" port ]: false if it is no such thing (userinfo, percent-encoding, a bad literal or
// port).
bool split_authority(std::string_view authority, HostAndPort& out);

// "[::1]", "127.0.0.1": a literal address.
bool is_ip_literal(std::string_view host);

}  // namespace servery::http
