// The form of names and texts that settings hold: hosts, header fields, methods, paths, redirect
// targets. Each function returns what is wrong, or nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servery {

struct SyntaxFault {
  std::string message;
  std::string suggestion;
};
using SyntaxCheck = std::optional<SyntaxFault>;

// A DNS name (RFC 1123 2.1) or an IP literal (RFC 3986 3.2.2), lower case, without port.
SyntaxCheck check_host(std::string_view host);
// The same, or "*.NAME".
SyntaxCheck check_host_pattern(std::string_view pattern);
// The pattern itself, or a name below "*.NAME"; "*" matches everything.
bool host_matches(std::string_view pattern, std::string_view host);

bool is_token(std::string_view text);                  // RFC 9110 5.6.2
SyntaxCheck check_header_name(std::string_view name);  // a token that is not the server's own
SyntaxCheck check_header_value(std::string_view value);
SyntaxCheck check_realm(std::string_view realm);    // printable ASCII (RFC 7617 2)
SyntaxCheck check_method(std::string_view method);  // one that requests may have

// "/x" without trailing slash, dot segments or empty segments; an exact one may end in a slash.
SyntaxCheck check_route_path(std::string_view path, bool exact);
SyntaxCheck check_file_name(std::string_view name);  // one component

// scheme://host[:port] as browsers send it (RFC 6454 6.2): lower case, no default port, no path.
SyntaxCheck check_origin(std::string_view origin);
// "400" to "599", "4xx", "5xx".
SyntaxCheck check_error_status(std::string_view status);
// 1 to 4095 bytes.
SyntaxCheck check_path(std::string_view path);
// An address, a prefix without bits behind it, or "unix".
SyntaxCheck check_addresses_entry(std::string_view entry);
// What http::PathPattern takes: 1 to 256 bytes without control characters.
SyntaxCheck check_path_pattern(std::string_view pattern);
// What follows the last dot of a file name: 1 to 64 visible ASCII characters without dot, slash and
// capital letters.
SyntaxCheck check_extension(std::string_view extension);
// type/subtype with parameters (RFC 9110 8.3.1).
SyntaxCheck check_media_type(std::string_view type);
// type/subtype, type/* or */*, without parameters (RFC 9110 12.5.1).
SyntaxCheck check_media_range(std::string_view range);

// A path or an http(s) URL, with known placeholders only, none in the host but {host} as all of it.
SyntaxCheck check_redirect_to(std::string_view to);
// The redirect's host is taken from the request.
bool redirects_to_request_host(std::string_view to);

}  // namespace servery
