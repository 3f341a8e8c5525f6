// The request target (RFC 9112 3.2): its four forms, one percent-decode, dot segments removed.
// Pure; any thread.
//
// A decoded path never holds NUL, a "." or ".." segment or an empty inner segment; it may hold
// other control characters, since file names may. An encoded slash (%2F) is data, never a
// separator: it stays encoded in `path` and `encoded_slash` says so, so that a handler that maps
// paths to names answers 404.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "worker/http/message.h"

namespace servery::http {

struct Target {
  std::string_view path;  // normalised; views `text` or `scratch`; "*" for asterisk-form
  std::string_view raw_path;
  std::string_view query;
  bool has_query = false;
  bool encoded_slash = false;
  std::string_view authority;  // of absolute-form; empty otherwise
  bool is_absolute = false;
};

// `scratch` is written only when the path must change (percent-decoding, dots, double slashes).
std::optional<Refusal> parse_target(std::string_view text, Method method, Target& out,
                                    std::string& scratch);

}  // namespace servery::http
