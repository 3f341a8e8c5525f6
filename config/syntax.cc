#include "config/syntax.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "common/base/cidr.h"
#include "common/base/text.h"

namespace servery {
namespace {

// Framing and connection fields, and what the server stamps itself (RFC 9110 7.6.1, RFC 9112 6).
constexpr std::string_view kServerFields[] = {
    "connection", "content-length",   "date",    "keep-alive",       "te",
    "trailer",    "proxy-connection", "upgrade", "transfer-encoding"};

// The methods a request may have; any other is answered by 501 before a route is looked for.
constexpr std::string_view kMethodNames[] = {
    "GET",        "HEAD",       "POST",      "PUT",       "DELETE",   "CONNECT",    "OPTIONS",
    "TRACE",      "PATCH",      "PROPFIND",  "PROPPATCH", "MKCOL",    "COPY",       "MOVE",
    "LOCK",       "UNLOCK",     "ACL",       "BIND",      "CHECKOUT", "LINK",       "MERGE",
    "MKACTIVITY", "MKCALENDAR", "M-SEARCH",  "NOTIFY",    "PURGE",    "REBIND",     "REPORT",
    "SEARCH",     "SOURCE",     "SUBSCRIBE", "UNBIND",    "UNLINK",   "UNSUBSCRIBE"};

bool is_alphanumeric(char c) {
  const char lower = ascii_lower(c);
  return is_digit(c) || (lower >= 'a' && lower <= 'z');
}

bool is_ip_literal(std::string_view host) {
  in6_addr address{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

bool is_label(std::string_view label) {
  constexpr std::size_t kMaxLabel = 63;
  if (label.empty() || label.size() > kMaxLabel) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_dns_name(std::string_view name) {
  constexpr std::size_t kMaxName = 253;
  if (name.size() > kMaxName) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

SyntaxCheck fault(std::string message, std::string suggestion = {}) {
  return SyntaxFault{std::move(message), std::move(suggestion)};
}

// Where the authority of "http(s)://AUTHORITY..." ends: at the path, query, fragment, or at a
// placeholder that brings its own slash.
std::optional<std::string_view> authority_of(std::string_view to) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!to.starts_with(scheme)) continue;
    const std::string_view rest = to.substr(scheme.size());
    return rest.substr(0, std::min(rest.find_first_of("/?#"), rest.find("{path}")));
  }
  return std::nullopt;
}

SyntaxCheck check_authority(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  std::string_view host = authority;
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    const auto port = parse_unsigned<std::uint16_t>(authority.substr(colon + 1));
    if (!port || *port == 0) return fault("the port must be 1 to 65535");
    host = authority.substr(0, colon);
  }
  if (host == "{host}") return std::nullopt;
  if (host.find_first_of("{}") != std::string_view::npos) {
    return fault("a placeholder in the host must be {host} and all of it");
  }
  return check_host(to_lower(host));
}

SyntaxCheck check_placeholders(std::string_view to) {
  static const std::vector<std::string_view> kNames = {"{host}", "{path}", "{rest}", "{query}"};
  for (std::size_t open = to.find_first_of("{}"); open != std::string_view::npos;
       open = to.find_first_of("{}", open)) {
    const std::size_t close = to.find('}', open);
    if (to[open] == '}' || close == std::string_view::npos) return fault("unbalanced { }");
    const std::string_view name = to.substr(open, close - open + 1);
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      return fault(fmt::format("unknown placeholder {}", name),
                   std::string(nearest_name(name, kNames).value_or("")));
    }
    open = close + 1;
  }
  return std::nullopt;
}

}  // namespace

SyntaxCheck check_host(std::string_view host) {
  if (is_ip_literal(host) || is_dns_name(host)) return std::nullopt;
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(host).c_str(), &address) == 1) {
    return fault("an IPv6 address stands in brackets", fmt::format("[{}]", host));
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && is_dns_name(host.substr(0, colon))) {
    return fault("a host name without a port", std::string(host.substr(0, colon)));
  }
  return fault("not a host name");
}

SyntaxCheck check_host_pattern(std::string_view pattern) {
  if (!pattern.starts_with("*.")) return check_host(pattern);
  if (is_dns_name(pattern.substr(2))) return std::nullopt;
  return fault("not a host name after *.");
}

bool host_matches(std::string_view pattern, std::string_view host) {
  if (pattern == "*" || pattern == host) return true;
  if (!pattern.starts_with("*.")) return false;
  const std::string_view suffix = pattern.substr(1);
  return host.size() > suffix.size() && host.ends_with(suffix);
}

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [kMarks](char c) {
    return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos;
  });
}

SyntaxCheck check_header_name(std::string_view name) {
  if (!is_token(name)) return fault("not a field name");
  for (const std::string_view own : kServerFields) {
    if (equals_ignore_case(name, own)) return fault("the server sets this field itself");
  }
  return std::nullopt;
}

SyntaxCheck check_header_value(std::string_view value) {
  if (trim_ows(value) != value) {
    return fault("spaces around a field value", std::string(trim_ows(value)));
  }
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
  if (!printable) return fault("a field value is one line without control characters");
  return std::nullopt;
}

SyntaxCheck check_realm(std::string_view realm) {
  const bool printable =
      std::all_of(realm.begin(), realm.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable) return std::nullopt;
  return SyntaxFault{"a realm is printable ASCII", {}};
}

SyntaxCheck check_method(std::string_view method) {
  const std::vector<std::string_view> known(std::begin(kMethodNames), std::end(kMethodNames));
  if (std::find(known.begin(), known.end(), method) != known.end()) return std::nullopt;
  std::string upper;
  for (const char c : method) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (std::find(known.begin(), known.end(), upper) != known.end()) {
    return fault("method names are upper case (RFC 9110 9.1)", upper);
  }
  return fault("not a method servery knows", std::string(nearest_name(upper, known).value_or("")));
}

SyntaxCheck check_route_path(std::string_view path, bool exact) {
  if (!path.starts_with('/')) return fault("a path begins with /", "/" + std::string(path));
  if (path.find_first_of("?#") != std::string_view::npos) return fault("no query or fragment here");
  if (path == "/") return std::nullopt;
  std::string_view rest = path.substr(1);
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    const bool last = slash == std::string_view::npos;
    if (segment == "." || segment == "..") return fault("no . or .. in a path");
    if (segment.empty() && !(last && exact)) {
      std::string without(path);
      while (without.size() > 1 && without.back() == '/') without.pop_back();
      return fault(last ? "no slash at the end" : "no empty segment in a path",
                   last ? without : std::string());
    }
    if (last) return std::nullopt;
    rest.remove_prefix(slash + 1);
  }
}

SyntaxCheck check_file_name(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return fault("not a file name");
  if (name.find('/') != std::string_view::npos) return fault("a file name without a slash");
  return std::nullopt;
}

SyntaxCheck check_origin(std::string_view origin) {
  const std::size_t mark = origin.find("://");
  const std::string_view scheme = origin.substr(0, mark);
  if (mark == std::string_view::npos || scheme.empty() || !is_token(scheme)) {
    return fault("an origin such as https://app.example.org is expected");
  }
  const std::string_view authority = origin.substr(mark + 3);
  const std::size_t slash = authority.find('/');
  if (slash != std::string_view::npos) {
    return fault("an origin has no path", std::string(origin.substr(0, mark + 3 + slash)));
  }
  const std::string_view own_port = scheme == "http" ? ":80" : ":443";
  if ((scheme == "http" || scheme == "https") && authority.ends_with(own_port)) {
    return fault("browsers leave the scheme's own port out",
                 std::string(origin.substr(0, origin.size() - own_port.size())));
  }
  return check_authority(authority);
}

SyntaxCheck check_addresses_entry(std::string_view entry) {
  if (entry == AddressSet::kUnix) return std::nullopt;
  const auto cidr = parse_cidr(entry);
  if (!cidr) return fault("an address, a prefix such as 10.0.0.0/8 or 2001:db8::/32, or unix");
  if (cidr->has_host_bits()) return fault("bits are set behind the prefix", cidr->text());
  return std::nullopt;
}

SyntaxCheck check_path_pattern(std::string_view pattern) {
  constexpr std::size_t kMaxPattern = 256;
  if (pattern.empty() || pattern.size() > kMaxPattern) return fault("1 to 256 bytes");
  const bool plain = std::none_of(pattern.begin(), pattern.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (!plain) return fault("no control characters in a pattern");
  for (std::size_t open = pattern.find_first_of("{}"); open != std::string_view::npos;
       open = pattern.find_first_of("{}", open + 6)) {
    if (!pattern.substr(open).starts_with("{hash}")) {
      return fault("{hash} is the only placeholder", "{hash}");
    }
  }
  return std::nullopt;
}

SyntaxCheck check_error_status(std::string_view status) {
  const bool is_error = status.size() == 3 && (status.front() == '4' || status.front() == '5');
  const std::string_view rest = status.substr(std::min<std::size_t>(status.size(), 1));
  if (is_error && (rest == "xx" || rest.find_first_not_of("0123456789") == rest.npos)) return {};
  const bool is_class = is_error && equals_ignore_case(rest, "xx");
  return fault("a status from 400 to 599, 4xx or 5xx", is_class ? to_lower(status) : "");
}

SyntaxCheck check_path(std::string_view path) {
  constexpr std::size_t kMaxPath = 4095;
  if (path.empty() || path.size() > kMaxPath) return fault("1 to 4095 bytes");
  return std::nullopt;
}

SyntaxCheck check_extension(std::string_view extension) {
  constexpr std::size_t kMaxExtension = 64;
  if (extension.starts_with('.')) {
    return fault("without the dot", std::string(extension.substr(1)));
  }
  if (extension.empty() || extension.size() > kMaxExtension) return fault("1 to 64 characters");
  for (const char c : extension) {
    if (c <= ' ' || c >= 0x7f || c == '/') return fault("only visible ASCII without /");
    if (c == '.') return fault("what follows the last dot of a name");
    if (c >= 'A' && c <= 'Z') return fault("in lower case; a file's own case does not matter");
  }
  return std::nullopt;
}

SyntaxCheck check_media_type(std::string_view type) {
  if (const SyntaxCheck value = check_header_value(type)) return value;
  const std::string_view essence = type.substr(0, std::min(type.find_first_of("; "), type.size()));
  const std::size_t slash = essence.find('/');
  if (slash == std::string_view::npos || !is_token(essence.substr(0, slash)) ||
      !is_token(essence.substr(slash + 1))) {
    return fault("must be a media type, such as text/plain; charset=utf-8");
  }
  return std::nullopt;
}

SyntaxCheck check_media_range(std::string_view range) {
  const std::size_t slash = std::min(range.find('/'), range.size());
  const std::string_view type = range.substr(0, slash);
  const std::string_view subtype = range.substr(std::min(slash + 1, range.size()));
  // '*' is a character of tokens too.
  if (is_token(type) && is_token(subtype) && (type != "*" || subtype == "*")) return std::nullopt;
  return fault("must be a media type, such as application/pdf or video/*");
}

SyntaxCheck check_redirect_to(std::string_view to) {
  const bool visible =
      std::all_of(to.begin(), to.end(), [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
  if (!visible) return fault("only visible ASCII without \\; encode the rest as %XX");
  if (const SyntaxCheck placeholder = check_placeholders(to)) return placeholder;
  if (const auto authority = authority_of(to)) return check_authority(*authority);
  if (to.starts_with('/') && !to.starts_with("//")) return std::nullopt;
  if (to.starts_with("{path}")) return std::nullopt;
  return fault("must be a path that begins with one /, or an http:// or https:// URL");
}

bool redirects_to_request_host(std::string_view to) {
  const auto authority = authority_of(to);
  return authority && authority->find("{host}") != std::string_view::npos;
}

}  // namespace servery
