// IP addresses, prefixes of them (CIDR, RFC 4632, RFC 4291 2.3) and sets of both: parsed strictly,
// once; matched by a search in sorted ranges. An IPv4-mapped IPv6 address is the IPv4 address it
// holds, a prefix of such addresses an IPv4 prefix; no other IPv6 prefix holds an IPv4 address
// (`::/0` is all of IPv6). Pure values; any role, any thread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace servery {

class IpAddress {
 public:
  // Long enough for every address as text (INET6_ADDRSTRLEN without its NUL).
  static constexpr std::size_t kMaxText = 45;

  IpAddress() = default;  // 0.0.0.0
  // "192.0.2.1", "2001:db8::1"; no port, no brackets, no zone, no leading zeros in IPv4.
  static std::optional<IpAddress> parse(std::string_view text);
  // In network order.
  static IpAddress from_ipv4(std::span<const std::uint8_t, 4> bytes);
  static IpAddress from_ipv6(std::span<const std::uint8_t, 16> bytes);

  bool is_ipv4() const { return key_[0] == kIpv4; }
  unsigned bits() const { return is_ipv4() ? 32 : 128; }
  // The shortest form, lower case (RFC 5952).
  std::string text() const {
    std::array<char, kMaxText + 1> place{};
    return std::string(write(place));
  }
  std::string_view write(std::span<char, kMaxText + 1> place) const;

  // The first and the last address that share the first `length` bits with this one.
  IpAddress first_in(unsigned length) const { return with_tail(length, 0x00); }
  IpAddress last_in(unsigned length) const { return with_tail(length, 0xFF); }

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  static constexpr std::uint8_t kIpv4 = 4;
  static constexpr std::uint8_t kIpv6 = 6;
  IpAddress with_tail(unsigned length, std::uint8_t fill) const;

  // Family, then the address; behind an IPv4 address zeros. The order of keys is that of addresses.
  std::array<std::uint8_t, 17> key_{kIpv4};
};

struct Cidr {
  IpAddress address;  // as written
  unsigned length = 0;

  // Bits behind the prefix are set: the author may have meant something else.
  bool has_host_bits() const { return address != address.first_in(length); }
  // Without those bits; of a single address without its length.
  std::string text() const;
};
// An address, or ADDRESS/LENGTH.
std::optional<Cidr> parse_cidr(std::string_view text);

// What an operator lists: prefixes, addresses, and the word for peers that have no address.
class AddressSet {
 public:
  static constexpr std::string_view kUnix = "unix";  // a Unix socket's peer

  AddressSet() = default;
  // Each entry `unix` or what parse_cidr takes; kInvalid if one is neither.
  static Result<AddressSet> parse(std::span<const std::string> entries);

  bool empty() const { return ranges_.empty() && !has_unix_; }
  bool contains(const IpAddress& address) const;
  // `peer`: an address as text, or empty for a Unix socket's. What is neither is not in the set.
  bool contains(std::string_view peer) const;

 private:
  struct Range {
    IpAddress first;
    IpAddress last;
  };
  std::vector<Range> ranges_;  // sorted, disjoint
  bool has_unix_ = false;
};

}  // namespace servery
