#include "options.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>

namespace hammer {
namespace {

constexpr const char* kUsage =
    "usage: hammer --connect IP:PORT|[IP]:PORT|unix:PATH [options]\n"
    "  --file PATH=LENGTH:CRC32   body of GET PATH (repeatable)      --host NAME\n"
    "  --big PATH=LENGTH:CRC32    body for slow downloads\n"
    "  --sink PATH=LENGTH:CRC32   answer to POST and slow uploads\n"
    "  --fresh RATE|half          new connections a second, one GET each\n"
    "  --preconnect RATE          connect, send after 0-5 s\n"
    "  --keepalive N  --post N    connections with pauses of 0-1 s\n"
    "  --pipelined N              connections that send 8 GETs at once\n"
    "  --download N  --upload N   5 s transfers\n"
    "  --seconds S  --timeout S  --seed N\n"
    "Ends after --seconds or at SIGTERM, waits for open requests, prints one JSON object.\n";

bool parse_expectation(std::string_view text, Expectation& out) {
  const auto equals = text.rfind('=');
  const auto colon = text.rfind(':');
  if (equals == text.npos || colon == text.npos || colon < equals || text.front() != '/')
    return false;
  out.path = text.substr(0, equals);
  const std::string_view length = text.substr(equals + 1, colon - equals - 1);
  const std::string_view crc = text.substr(colon + 1);
  const auto a = std::from_chars(length.data(), length.data() + length.size(), out.length);
  const auto b = std::from_chars(crc.data(), crc.data() + crc.size(), out.crc, 16);
  return a.ec == std::errc{} && a.ptr == colon + text.data() && b.ec == std::errc{} &&
         b.ptr == text.data() + text.size();
}

template <typename T>
bool parse_number(std::string_view text, T& out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

bool parse_unix(std::string_view path, Address& out) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  std::memcpy(&out.storage, &address, sizeof(address));
  out.length = sizeof(address);
  return true;
}

bool parse_address(std::string_view text, Address& out) {
  if (text.starts_with("unix:")) return parse_unix(text.substr(5), out);
  const auto colon = text.rfind(':');
  std::uint16_t port = 0;
  if (colon == text.npos || !parse_number(text.substr(colon + 1), port)) return false;
  std::string ip(text.substr(0, colon));
  if (ip.size() > 2 && ip.front() == '[' && ip.back() == ']') {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    if (inet_pton(AF_INET6, ip.substr(1, ip.size() - 2).c_str(), &address.sin6_addr) != 1)
      return false;
    std::memcpy(&out.storage, &address, sizeof(address));
    out.length = sizeof(address);
    return true;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, ip.c_str(), &address.sin_addr) != 1) return false;
  std::memcpy(&out.storage, &address, sizeof(address));
  out.length = sizeof(address);
  return true;
}

using Setter = std::function<bool(std::string_view)>;

template <typename T>
Setter number(T& field) {
  return [&field](std::string_view text) { return parse_number(text, field); };
}

Setter expectation(std::optional<Expectation>& field) {
  return [&field](std::string_view text) { return parse_expectation(text, field.emplace()); };
}

std::map<std::string_view, Setter> setters(Options& o) {
  return {
      {"--connect", [&o](std::string_view text) { return parse_address(text, o.address); }},
      {"--host",
       [&o](std::string_view text) {
         o.host = text;
         return true;
       }},
      {"--file",
       [&o](std::string_view text) { return parse_expectation(text, o.files.emplace_back()); }},
      {"--big", expectation(o.big)},
      {"--sink", expectation(o.sink)},
      {"--fresh",
       [&o](std::string_view text) {
         o.fresh_half = text == "half";
         return o.fresh_half || parse_number(text, o.fresh_rate);
       }},
      {"--preconnect", number(o.preconnect_rate)},
      {"--keepalive", number(o.keepalive)},
      {"--post", number(o.post)},
      {"--pipelined", number(o.pipelined)},
      {"--download", number(o.download)},
      {"--upload", number(o.upload)},
      {"--seconds", number(o.seconds)},
      {"--timeout", number(o.timeout)},
      {"--seed", number(o.seed)},
  };
}

bool is_complete(const Options& o) {
  const bool needs_files = o.fresh_half || o.fresh_rate > 0 || o.preconnect_rate > 0 ||
                           o.keepalive > 0 || o.pipelined > 0;
  return o.address.length > 0 && (!needs_files || !o.files.empty()) &&
         (o.download == 0 || o.big.has_value()) && (o.post + o.upload == 0 || o.sink.has_value());
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  const auto table = setters(options);
  for (int i = 1; i < argc; i += 2) {
    const auto setter = table.find(argv[i]);
    if (setter == table.end() || i + 1 == argc || !setter->second(argv[i + 1])) {
      std::fprintf(stderr, "hammer: cannot use '%s'\n%s", argv[i], kUsage);
      return std::nullopt;
    }
  }
  if (!is_complete(options)) {
    std::fprintf(stderr, "hammer: --connect or an expected body is missing\n%s", kUsage);
    return std::nullopt;
  }
  return options;
}

}  // namespace hammer
