// The header of the PROXY protocol, versions 1 and 2 (haproxy's proxy-protocol.txt): what a load
// balancer sends before a client's first byte to say whose connection it passes on. Sans-IO,
// bounded. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/cidr.h"

namespace servery::codec {

struct ProxyHeader {
  std::size_t size = 0;  // of the header; the client's own bytes follow
  // Absent where the sender speaks for itself (LOCAL, UNKNOWN) or for an address of a family that
  // is none of TCP over IPv4 and IPv6: then the connection's own peer stands.
  std::optional<IpAddress> source;
  std::uint16_t port = 0;
};

enum class ProxyHeaderState { kNeedMore, kDone, kMalformed };

inline constexpr std::size_t kMaxProxyLine = 107;  // version 1, line end included
// Version 2: head, the longest addresses, and what may follow them at most (TLVs; not read).
inline constexpr std::size_t kMaxProxyTlvs = 4096;
inline constexpr std::size_t kMaxProxyHeader = 16 + 216 + kMaxProxyTlvs;

// `in` is what has come of the connection, from its first byte. kNeedMore only while `in` may still
// become a header, so never for kMaxProxyHeader bytes.
ProxyHeaderState parse_proxy_header(std::string_view in, ProxyHeader& out);

}  // namespace servery::codec
