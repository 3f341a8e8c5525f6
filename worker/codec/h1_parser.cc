#include "worker/codec/h1_parser.h"

#include <algorithm>
#include <cstring>

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::codec {
namespace {

using http::Refusal;

// Empty lines before a request line that are skipped (RFC 9112 2.2 asks for one at least).
constexpr std::size_t kMaxLeadingBytes = 4;
constexpr std::size_t kVersionSize = 8;  // "HTTP/1.1"

// The line's end in [begin, end): find_end() proved that each line there ends with CR LF.
char* line_end(char* begin, char* end) {
  auto* lf = static_cast<char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
  return lf - 1;
}

// What a head may begin with: a method, or an empty line before it.
bool may_begin(char c) { return http::is_token_char(c) || c == '\r' || c == '\n'; }

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

// method SP request-target SP HTTP-version (RFC 9112 3). What the method and the target may be is
// request_rules' business; a space inside the target is refused there.
const Refusal* check_request_line(const char* line, const char* end) {
  static constexpr Refusal kBadLine{400, "request_line_invalid"};
  static constexpr Refusal kBadVersion{505, "version_unsupported"};
  const auto* space =
      static_cast<const char*>(std::memchr(line, ' ', static_cast<std::size_t>(end - line)));
  const char* const version = end - kVersionSize;
  if (space == nullptr || version - space < 2 || version[-1] != ' ') return &kBadLine;
  if (std::memcmp(version, "HTTP/", 5) != 0 || !is_digit(version[5]) || version[6] != '.' ||
      !is_digit(version[7]) || version[5] == '0') {
    return &kBadLine;
  }
  return version[5] == '1' ? nullptr : &kBadVersion;
}

// A line that check_request_line() has passed.
void take_request_line(const char* line, const char* end, http::RawHead& out) {
  const auto* space =
      static_cast<const char*>(std::memchr(line, ' ', static_cast<std::size_t>(end - line)));
  out.method = view(line, space);
  out.target = view(space + 1, end - kVersionSize - 1);
  out.authority = {};
  out.version_major = 1;
  // A higher minor version is a client of 1.1 and more (RFC 9110 2.5).
  out.version_minor = end[-1] == '0' ? 0 : 1;
}

// field-name ":" OWS field-value OWS (RFC 9112 5). A line that starts with a space (obs-fold) or
// has one before the colon has no token there and is refused.
const Refusal* parse_field_line(char* line, char* end, http::RequestFields& out) {
  static constexpr Refusal kBadName{400, "field_name_invalid"};
  static constexpr Refusal kBadValue{400, "field_value_invalid"};
  const char* const colon = http::lowercase_token(line, end);
  if (colon == line || colon == end || *colon != ':') return &kBadName;
  const std::string_view value = trim_ows(view(colon + 1, end));
  if (!http::is_field_value(value)) return &kBadValue;
  const std::string_view name = view(line, colon);
  out.add({http::field_id(name), name, value});
  return nullptr;
}

}  // namespace

std::string_view begun_method(std::span<const char> head) {
  std::string_view text(head.data(), head.size());
  text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
  const std::size_t space = text.find(' ');
  return space == std::string_view::npos ? std::string_view() : text.substr(0, space);
}

void H1HeadParser::reset() { scanned_ = start_ = line_ = 0; }

H1HeadParser::Outcome H1HeadParser::refuse(Refusal refusal) {
  reset();
  return {State::kRefused, 0, refusal};
}

// Looks for the empty line, one line at a time from where the last search ended. Limits come before
// all else at the same byte, so that the answer does not depend on how the bytes arrived.
H1HeadParser::Outcome H1HeadParser::find_end(std::span<const char> buffer, std::size_t& end) {
  const char* const data = buffer.data();
  while (scanned_ < buffer.size()) {
    if (scanned_ == start_ && !may_begin(data[start_])) {
      return refuse({400, "method_invalid"});  // not HTTP: a TLS hello, binary noise
    }
    const void* const lf = std::memchr(data + scanned_, '\n', buffer.size() - scanned_);
    const std::size_t at = lf == nullptr
                               ? buffer.size()
                               : static_cast<std::size_t>(static_cast<const char*>(lf) - data);
    scanned_ = at;
    if (at - start_ >= limits_.header_bytes) {
      return refuse(line_ == start_ ? http::kTargetTooLong : http::kHeadTooLarge);
    }
    if (lf == nullptr) break;
    const std::size_t line = line_;
    if (at == line || data[at - 1] != '\r') return refuse({400, "bare_lf"});
    line_ = scanned_ = at + 1;
    if (at > line + 1) {
      // At once: who speaks HTTP/0.9 sends no more than this line.
      const Refusal* bad =
          line == start_ ? check_request_line(data + line, data + at - 1) : nullptr;
      if (bad != nullptr) return refuse(*bad);
      continue;
    }
    if (line != start_) {
      end = at + 1;
      return {State::kHead, end, {}};
    }
    start_ = at + 1;
    if (start_ > kMaxLeadingBytes) return refuse({400, "empty_lines"});
  }
  return {};
}

H1HeadParser::Outcome H1HeadParser::parse(std::span<char> buffer, http::RawHead& out) {
  std::size_t end = 0;
  const Outcome found = find_end(buffer, end);
  if (found.state != State::kHead) return found;
  char* line = buffer.data() + start_;
  char* const head_end = buffer.data() + end - 2;  // without the empty line
  char* stop = line_end(line, head_end);
  out.fields.clear();
  take_request_line(line, stop, out);
  const Refusal* refusal = nullptr;
  for (line = stop + 2; line != head_end && refusal == nullptr; line = stop + 2) {
    if (out.fields.size() == limits_.header_count) return refuse(http::kTooManyFields);
    stop = line_end(line, head_end);
    refusal = parse_field_line(line, stop, out.fields);
  }
  if (refusal != nullptr) return refuse(*refusal);
  reset();
  return found;
}

}  // namespace servery::codec
