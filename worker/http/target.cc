#include "worker/http/target.h"

#include <array>

#include "common/base/text.h"
#include "worker/http/host_name.h"

namespace servery::http {
namespace {

constexpr Refusal kBadTarget{400, "target_invalid"};

enum class Kind : std::uint8_t { kPlain, kSlash, kPercent, kQuestion, kBad };

// Visible ASCII but '#': no fragment goes over the wire, and a space ends the target (RFC
// 9112 3.2). Other characters that RFC 3986 wants encoded ('"', '|', '{' ...) are sent by browsers
// and taken.
constexpr std::array<Kind, 256> kTargetKinds = [] {
  std::array<Kind, 256> kinds{};
  for (unsigned c = 0; c < 256; ++c) {
    kinds[c] = c > 0x20 && c < 0x7f && c != '#' ? Kind::kPlain : Kind::kBad;
  }
  kinds['/'] = Kind::kSlash;
  kinds['%'] = Kind::kPercent;
  kinds['?'] = Kind::kQuestion;
  return kinds;
}();

Kind kind_of(char c) { return kTargetKinds[static_cast<unsigned char>(c)]; }

// Splits `text`, which starts with '/', at '?'. `changes` is set when the path may need work.
bool split(std::string_view text, Target& out, bool& changes) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    while (at < text.size() && kind_of(text[at]) == Kind::kPlain) ++at;
    if (at == text.size()) break;
    const Kind kind = kind_of(text[at]);
    if (kind == Kind::kBad) return false;
    if (kind == Kind::kQuestion) break;
    if (kind == Kind::kPercent) changes = true;
    if (kind == Kind::kSlash && at + 1 < text.size()) {
      changes |= text[at + 1] == '/' || text[at + 1] == '.';
    }
  }
  out.raw_path = text.substr(0, at);
  if (at == text.size()) return true;
  out.has_query = true;
  out.query = text.substr(at + 1);
  for (char c : out.query) {
    if (kind_of(c) == Kind::kBad) return false;
  }
  return true;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decodes once, appending to `out`; an encoded slash stays as it is.
bool decode(std::string_view raw, std::string& out, bool& encoded_slash) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      out += raw[i];
      continue;
    }
    if (i + 2 >= raw.size()) return false;
    const int high = hex_digit(raw[i + 1]);
    const int low = hex_digit(raw[i + 2]);
    if (high < 0 || low < 0) return false;
    const int byte = high * 16 + low;
    if (byte == 0) return false;  // ends a path for the kernel
    if (byte == '/') {
      encoded_slash = true;
      out += "%2F";
    } else {
      out += static_cast<char>(byte);
    }
    i += 2;
  }
  return true;
}

// Removes "." and ".." (RFC 3986 5.2.4) and empty segments from out[begin...], in place. A ".." at
// the root stays at the root.
void normalise(std::string& out, std::size_t begin) {
  std::size_t write = begin;  // out[begin, write) is normal and has no slash at its end
  std::size_t read = begin;
  bool ends_with_slash = false;
  while (read < out.size()) {
    const std::size_t first = read + 1;  // out[read] is '/'
    std::size_t next = out.find('/', first);
    if (next == std::string::npos) next = out.size();
    const std::string_view segment(out.data() + first, next - first);
    ends_with_slash = segment.empty() || segment == "." || segment == "..";
    if (segment == "..") {
      while (write > begin && out[--write] != '/') {
      }
    } else if (!ends_with_slash) {
      for (std::size_t from = read; from < next; ++from) out[write++] = out[from];
    }
    read = next;
  }
  out.resize(write);
  if (ends_with_slash || write == begin) out += '/';
}

std::optional<Refusal> finish_path(Target& out, bool changes, std::string& scratch) {
  if (!changes) {
    out.path = out.raw_path;
    return std::nullopt;
  }
  const std::size_t begin = scratch.size();
  // One reservation, so that a host appended later does not move the path.
  scratch.reserve(begin + out.raw_path.size() + 1 + kMaxHostSize);
  if (!decode(out.raw_path, scratch, out.encoded_slash)) return kBadTarget;
  normalise(scratch, begin);
  out.path = std::string_view(scratch).substr(begin);
  return std::nullopt;
}

// scheme "://" authority path-abempty [ "?" query ], http and https only (RFC 9110 4.2).
std::optional<Refusal> parse_absolute(std::string_view text, Target& out, std::string& scratch) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  const bool is_https = starts_with_ignore_case(text, kHttps);
  if (!is_https && !starts_with_ignore_case(text, kHttp)) return kBadTarget;
  text.remove_prefix(is_https ? kHttps.size() : kHttp.size());
  const std::size_t end = text.find_first_of("/?");
  out.is_absolute = true;
  out.authority = text.substr(0, end);
  if (out.authority.empty()) return kBadTarget;
  text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  bool changes = false;
  if (text.empty() || text.front() == '?') {
    if (!split(text, out, changes)) return kBadTarget;
    out.raw_path = "/";
  } else if (!split(text, out, changes)) {
    return kBadTarget;
  }
  return finish_path(out, changes, scratch);
}

}  // namespace

std::optional<Refusal> parse_target(std::string_view text, Method method, Target& out,
                                    std::string& scratch) {
  out = Target{};
  if (text.empty()) return kBadTarget;
  if (text.front() == '/') {
    bool changes = false;
    if (!split(text, out, changes)) return kBadTarget;
    return finish_path(out, changes, scratch);
  }
  if (text == "*") {
    if (method != Method::kOptions) return kBadTarget;
    out.path = out.raw_path = text;
    return std::nullopt;
  }
  return parse_absolute(text, out, scratch);
}

}  // namespace servery::http
