// A numeric TCP address as a value: from a plan, from a socket, to text. IPv6 here is always IPv6
// only.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/socket_diag.h"
#include "config/plan.h"

namespace servery {

class TcpAddress {
 public:
  // `ip`: numeric, without brackets; empty: any address of the family.
  static Result<TcpAddress> parse(AddressFamily family, const std::string& ip, std::uint16_t port);
  static Result<TcpAddress> of_socket(int fd);

  int family() const { return storage_.ss_family; }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  bool is_any() const;
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const;
  // "127.0.0.1:80", "[::1]:80": also what names the address in maps.
  std::string text() const;

  // Whether a socket listening here accepts connections to `local`.
  bool covers(const TcpAddress& local) const;
  // Whether a socket listening there would be in the way of one bound here.
  bool conflicts_with(const TcpSocket& listening) const;

 private:
  sockaddr_storage storage_{};
};

// False where IPv6 is in the kernel but switched off (sysctl disable_ipv6): sockets can be bound to
// the wildcard then, and nobody reaches them.
bool has_ipv6_loopback();

}  // namespace servery
