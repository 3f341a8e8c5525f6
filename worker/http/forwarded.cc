#include "worker/http/forwarded.h"

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::http {
namespace {

constexpr unsigned kForBit = 1;
constexpr unsigned kProtoBit = 2;
constexpr unsigned kHostBit = 4;
constexpr unsigned kByBit = 8;

bool is_space(char c) { return c == ' ' || c == '\t'; }

// RFC 7239 6.3: ALPHA, DIGIT, ".", "_", "-" behind the "_".
bool is_obfuscated(std::string_view text) {
  constexpr std::string_view kOthers = "._-";
  if (text.size() < 2 || text.front() != '_') return false;
  for (const char c : text) {
    const char lower = ascii_lower(c);
    const bool plain = is_digit(c) || (lower >= 'a' && lower <= 'z');
    if (!plain && kOthers.find(c) == std::string_view::npos) return false;
  }
  return true;
}

bool is_node_port(std::string_view text) {  // RFC 7239 6: 1*5DIGIT
  constexpr std::size_t kMaxDigits = 5;
  constexpr unsigned kMaxPort = 65535;
  if (text.size() > kMaxDigits) return false;
  const auto port = parse_unsigned<unsigned>(text);
  return port && *port <= kMaxPort;
}

ForwardedNode at(std::optional<IpAddress> address) {
  if (!address) return {};
  return {ForwardedNode::Kind::kAddress, *address};
}

// Takes ":PORT" off the end; false if what stands there is no port.
bool split_port(std::string_view& node, bool may_hide_port) {
  const std::size_t bracket = node.rfind(']');
  const std::size_t colon = node.rfind(':');
  if (colon == std::string_view::npos) return true;
  if (bracket != std::string_view::npos && colon < bracket) return true;
  const std::string_view port = node.substr(colon + 1);
  node = node.substr(0, colon);
  return is_node_port(port) || (may_hide_port && is_obfuscated(port));
}

ForwardedNode parse_node(std::string_view node, bool is_rfc) {
  if (!split_port(node, is_rfc)) return {};
  if (equals_ignore_case(node, "unknown") || (is_rfc && is_obfuscated(node))) {
    return {ForwardedNode::Kind::kHidden, {}};
  }
  const bool is_bracketed = node.size() > 2 && node.front() == '[' && node.back() == ']';
  if (is_bracketed) node = node.substr(1, node.size() - 2);
  // In brackets stands IPv6, and IPv6 stands in brackets.
  if ((node.find(':') != std::string_view::npos) != is_bracketed) return {};
  return at(IpAddress::parse(node));
}

}  // namespace

ForwardedCursor::Step ForwardedCursor::previous(ForwardedElement& element) {
  while (true) {
    drop_spaces();
    if (rest_.empty()) return Step::kEnd;
    if (!take(',')) return read_element(element);
  }
}

// Pairs up to the comma before them, or the beginning: [ pair ] *( ";" [ pair ] ).
ForwardedCursor::Step ForwardedCursor::read_element(ForwardedElement& element) {
  element = {};
  seen_ = 0;
  while (true) {
    drop_spaces();
    if (rest_.empty() || rest_.back() == ',') return Step::kElement;
    if (take(';')) continue;
    if (!read_pair(element)) return Step::kMalformed;
    drop_spaces();
    if (!rest_.empty() && rest_.back() != ';' && rest_.back() != ',') return Step::kMalformed;
  }
}

bool ForwardedCursor::read_pair(ForwardedElement& element) {
  const auto value = read_value();
  if (!value || !take('=')) return false;
  const std::string_view name = read_token();
  if (name.empty()) return false;
  unsigned bit = 0;
  if (equals_ignore_case(name, "for")) {
    bit = kForBit;
    element.node = *value;
  } else if (equals_ignore_case(name, "proto")) {
    bit = kProtoBit;
    element.proto = *value;
  } else if (equals_ignore_case(name, "host")) {
    bit = kHostBit;
    element.host = *value;
  } else if (equals_ignore_case(name, "by")) {
    bit = kByBit;
  }
  if ((seen_ & bit) != 0) return false;  // RFC 7239 4: not more than once in an element
  seen_ |= bit;
  return bit == 0 || !value->empty();
}

// token / quoted-string
std::optional<std::string_view> ForwardedCursor::read_value() {
  if (!take('"')) {
    const std::string_view token = read_token();
    if (token.empty()) return std::nullopt;
    return token;
  }
  const std::size_t open = rest_.rfind('"');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view value = rest_.substr(open + 1);
  rest_ = rest_.substr(0, open);
  // Were the opening quote a quoted one, a backslash would stand before it in place of `=`.
  if (value.find('\\') != std::string_view::npos) return std::nullopt;
  return value;
}

std::string_view ForwardedCursor::read_token() {
  std::size_t begin = rest_.size();
  while (begin > 0 && is_token_char(rest_[begin - 1])) --begin;
  const std::string_view token = rest_.substr(begin);
  rest_ = rest_.substr(0, begin);
  return token;
}

void ForwardedCursor::drop_spaces() {
  while (!rest_.empty() && is_space(rest_.back())) rest_.remove_suffix(1);
}

bool ForwardedCursor::take(char c) {
  if (rest_.empty() || rest_.back() != c) return false;
  rest_.remove_suffix(1);
  return true;
}

bool ReverseListCursor::previous(std::string_view& member) {
  while (!rest_.empty()) {
    const std::size_t comma = rest_.rfind(',');
    const bool is_first = comma == std::string_view::npos;
    member = trim_ows(is_first ? rest_ : rest_.substr(comma + 1));
    rest_ = is_first ? std::string_view() : rest_.substr(0, comma);
    if (!member.empty()) return true;
  }
  return false;
}

ForwardedNode parse_forwarded_node(std::string_view node) { return parse_node(node, true); }

ForwardedNode parse_x_forwarded_node(std::string_view node) {
  if (const auto address = IpAddress::parse(node)) return at(address);  // IPv6 without brackets
  return parse_node(node, false);
}

std::string_view forwarded_scheme(std::string_view proto) {
  if (equals_ignore_case(proto, "https")) return "https";
  return equals_ignore_case(proto, "http") ? "http" : "";
}

}  // namespace servery::http
