#include "common/base/cidr.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "common/base/text.h"

namespace servery {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned kMappedBits = 96;

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  std::array<char, kMaxText + 1> copy{};
  if (text.empty() || text.size() > kMaxText || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  std::memcpy(copy.data(), text.data(), text.size());
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, copy.data(), bytes.data()) == 1) {
    return from_ipv4(std::span(bytes).first<4>());
  }
  if (::inet_pton(AF_INET6, copy.data(), bytes.data()) == 1) return from_ipv6(bytes);
  return std::nullopt;
}

IpAddress IpAddress::from_ipv4(std::span<const std::uint8_t, 4> bytes) {
  IpAddress address;
  std::copy(bytes.begin(), bytes.end(), address.key_.begin() + 1);
  return address;
}

IpAddress IpAddress::from_ipv6(std::span<const std::uint8_t, 16> bytes) {
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
    return from_ipv4(bytes.last<4>());
  }
  IpAddress address;
  address.key_[0] = kIpv6;
  std::copy(bytes.begin(), bytes.end(), address.key_.begin() + 1);
  return address;
}

std::string_view IpAddress::write(std::span<char, kMaxText + 1> place) const {
  static_assert(kMaxText + 1 == INET6_ADDRSTRLEN);
  ::inet_ntop(is_ipv4() ? AF_INET : AF_INET6, key_.data() + 1, place.data(), INET6_ADDRSTRLEN);
  return place.data();
}

IpAddress IpAddress::with_tail(unsigned length, std::uint8_t fill) const {
  IpAddress changed = *this;
  for (unsigned bit = length; bit < bits();) {
    const unsigned kept = bit % 8;
    const auto mask = static_cast<std::uint8_t>(0xFF >> kept);
    std::uint8_t& byte = changed.key_[1 + bit / 8];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (fill & mask));
    bit += 8 - kept;
  }
  return changed;
}

std::string Cidr::text() const {
  const std::string first = address.first_in(length).text();
  return length == address.bits() ? first : first + "/" + std::to_string(length);
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view written = text.substr(0, slash);
  const auto address = IpAddress::parse(written);
  if (!address) return std::nullopt;
  if (slash == std::string_view::npos) return Cidr{*address, address->bits()};
  const std::string_view digits = text.substr(slash + 1);
  const auto length = parse_unsigned<unsigned>(digits);
  if (!length || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  // An IPv4-mapped prefix counts the bits that every such address has.
  const bool is_mapped = address->is_ipv4() && written.find(':') != std::string_view::npos;
  const unsigned skipped = is_mapped ? kMappedBits : 0;
  if (*length < skipped || *length - skipped > address->bits()) return std::nullopt;
  return Cidr{*address, *length - skipped};
}

Result<AddressSet> AddressSet::parse(std::span<const std::string> entries) {
  AddressSet set;
  std::vector<Range> all;
  for (const std::string& entry : entries) {
    if (entry == kUnix) {
      set.has_unix_ = true;
      continue;
    }
    const auto cidr = parse_cidr(entry);
    if (!cidr) return fail(Errc::kInvalid, "no address or prefix: " + entry);
    all.push_back({cidr->address.first_in(cidr->length), cidr->address.last_in(cidr->length)});
  }
  // Of two prefixes one holds the other, or they have nothing in common.
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) {
    return a.first != b.first ? a.first < b.first : b.last < a.last;
  });
  for (const Range& range : all) {
    if (set.ranges_.empty() || set.ranges_.back().last < range.first) set.ranges_.push_back(range);
  }
  return set;
}

bool AddressSet::contains(const IpAddress& address) const {
  const auto behind = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](const IpAddress& wanted, const Range& range) { return wanted < range.first; });
  return behind != ranges_.begin() && address <= std::prev(behind)->last;
}

bool AddressSet::contains(std::string_view peer) const {
  if (peer.empty()) return has_unix_;
  const auto address = IpAddress::parse(peer);
  return address && contains(*address);
}

}  // namespace servery
