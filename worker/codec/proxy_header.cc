#include "worker/codec/proxy_header.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/base/text.h"

namespace servery::codec {
namespace {

using State = ProxyHeaderState;

constexpr std::string_view kVersion1Start = "PROXY ";
constexpr std::string_view kSignature("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t kFixedSize = 16;

// ---- version 1 ----

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_unsigned<std::uint16_t>(text);
}

// Takes the text before the next space, or all there is.
std::string_view take_word(std::string_view& rest) {
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, space);
  rest.remove_prefix(std::min(space + 1, rest.size()));
  return word;
}

std::optional<IpAddress> parse_address(std::string_view text, bool is_ipv6) {
  if ((text.find(':') != std::string_view::npos) != is_ipv6) return std::nullopt;
  return IpAddress::parse(text);
}

// "TCP4 SOURCE DESTINATION PORT PORT", each behind one space.
bool read_line(std::string_view line, ProxyHeader& out) {
  const std::string_view family = take_word(line);
  if (family == "UNKNOWN") return true;
  if (family != "TCP4" && family != "TCP6") return false;
  const bool is_ipv6 = family == "TCP6";
  const auto source = parse_address(take_word(line), is_ipv6);
  const auto destination = parse_address(take_word(line), is_ipv6);
  const auto source_port = parse_port(take_word(line));
  const bool has_last = !line.empty() && line.find(' ') == std::string_view::npos;
  const auto destination_port = has_last ? parse_port(line) : std::nullopt;
  if (!source || !destination || !source_port || !destination_port) return false;
  out.source = source;
  out.port = *source_port;
  return true;
}

State parse_version1(std::string_view in, ProxyHeader& out) {
  const std::string_view possible = in.substr(0, kMaxProxyLine);
  const std::size_t end = possible.find_first_of("\r\n");
  if (end == std::string_view::npos || (possible[end] == '\r' && end + 1 == possible.size())) {
    return possible.size() == kMaxProxyLine ? State::kMalformed : State::kNeedMore;
  }
  if (possible.substr(end, 2) != "\r\n") return State::kMalformed;
  if (!read_line(possible.substr(kVersion1Start.size(), end - kVersion1Start.size()), out)) {
    return State::kMalformed;
  }
  out.size = end + 2;
  return State::kDone;
}

// ---- version 2 ----

std::uint8_t byte_at(std::string_view in, std::size_t at) {
  return static_cast<std::uint8_t>(in[at]);
}

std::uint16_t number_at(std::string_view in, std::size_t at) {
  return static_cast<std::uint16_t>(byte_at(in, at) << 8 | byte_at(in, at + 1));
}

template <std::size_t N>
std::array<std::uint8_t, N> bytes_at(std::string_view in, std::size_t at) {
  std::array<std::uint8_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) bytes[i] = byte_at(in, at + i);
  return bytes;
}

constexpr std::uint8_t kTcpIpv4 = 0x11;
constexpr std::uint8_t kTcpIpv6 = 0x21;

// Source and destination address, source and destination port. `length`: bytes of both and more.
bool read_addresses(std::string_view in, std::uint8_t family, std::size_t length,
                    ProxyHeader& out) {
  if (family == kTcpIpv4) {
    if (length < 12) return false;
    out.source = IpAddress::from_ipv4(bytes_at<4>(in, kFixedSize));
    out.port = number_at(in, kFixedSize + 8);
  } else if (family == kTcpIpv6) {
    if (length < 36) return false;
    out.source = IpAddress::from_ipv6(bytes_at<16>(in, kFixedSize));
    out.port = number_at(in, kFixedSize + 32);
  }
  return true;
}

State parse_version2(std::string_view in, ProxyHeader& out) {
  if (in.size() < kFixedSize) return State::kNeedMore;
  const std::uint8_t command = byte_at(in, 12);
  const bool is_local = command == 0x20;
  if (!is_local && command != 0x21) return State::kMalformed;
  const std::size_t length = number_at(in, 14);
  if (length > kMaxProxyHeader - kFixedSize) return State::kMalformed;
  if (in.size() < kFixedSize + length) return State::kNeedMore;
  if (!is_local && !read_addresses(in, byte_at(in, 13), length, out)) return State::kMalformed;
  out.size = kFixedSize + length;
  return State::kDone;
}

bool begins_alike(std::string_view in, std::string_view start) {
  const std::size_t size = std::min(in.size(), start.size());
  return in.substr(0, size) == start.substr(0, size);
}

}  // namespace

ProxyHeaderState parse_proxy_header(std::string_view in, ProxyHeader& out) {
  out = {};
  if (begins_alike(in, kVersion1Start)) {
    return in.size() < kVersion1Start.size() ? State::kNeedMore : parse_version1(in, out);
  }
  if (begins_alike(in, kSignature)) {
    return in.size() < kSignature.size() ? State::kNeedMore : parse_version2(in, out);
  }
  return State::kMalformed;
}

}  // namespace servery::codec
