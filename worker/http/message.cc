#include "worker/http/message.h"

#include <algorithm>
#include <array>

namespace servery::http {
namespace {

constexpr std::array<std::string_view, 34> kMethodNames = {
    "GET",        "HEAD",       "POST",      "PUT",       "DELETE",   "CONNECT",     "OPTIONS",
    "TRACE",      "PATCH",      "PROPFIND",  "PROPPATCH", "MKCOL",    "COPY",        "MOVE",
    "LOCK",       "UNLOCK",     "ACL",       "BIND",      "CHECKOUT", "LINK",        "MERGE",
    "MKACTIVITY", "MKCALENDAR", "M-SEARCH",  "NOTIFY",    "PURGE",    "REBIND",      "REPORT",
    "SEARCH",     "SOURCE",     "SUBSCRIBE", "UNBIND",    "UNLINK",   "UNSUBSCRIBE",
};
static_assert(kMethodNames.size() == static_cast<std::size_t>(Method::kUnknown));

struct Phrase {
  int status;
  std::string_view text;
};

// RFC 9110 section 15, RFC 6585, RFC 4918; sorted.
constexpr std::array kPhrases = {
    Phrase{100, "Continue"},
    Phrase{101, "Switching Protocols"},
    Phrase{103, "Early Hints"},
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{203, "Non-Authoritative Information"},
    Phrase{204, "No Content"},
    Phrase{205, "Reset Content"},
    Phrase{206, "Partial Content"},
    Phrase{207, "Multi-Status"},
    Phrase{300, "Multiple Choices"},
    Phrase{301, "Moved Permanently"},
    Phrase{302, "Found"},
    Phrase{303, "See Other"},
    Phrase{304, "Not Modified"},
    Phrase{307, "Temporary Redirect"},
    Phrase{308, "Permanent Redirect"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{402, "Payment Required"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{407, "Proxy Authentication Required"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{410, "Gone"},
    Phrase{411, "Length Required"},
    Phrase{412, "Precondition Failed"},
    Phrase{413, "Content Too Large"},
    Phrase{414, "URI Too Long"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{416, "Range Not Satisfiable"},
    Phrase{417, "Expectation Failed"},
    Phrase{418, "I'm a teapot"},
    Phrase{421, "Misdirected Request"},
    Phrase{422, "Unprocessable Content"},
    Phrase{423, "Locked"},
    Phrase{424, "Failed Dependency"},
    Phrase{425, "Too Early"},
    Phrase{426, "Upgrade Required"},
    Phrase{428, "Precondition Required"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{451, "Unavailable For Legal Reasons"},
    Phrase{500, "Internal Server Error"},
    Phrase{501, "Not Implemented"},
    Phrase{502, "Bad Gateway"},
    Phrase{503, "Service Unavailable"},
    Phrase{504, "Gateway Timeout"},
    Phrase{505, "HTTP Version Not Supported"},
    Phrase{507, "Insufficient Storage"},
    Phrase{508, "Loop Detected"},
    Phrase{511, "Network Authentication Required"},
};

}  // namespace

std::optional<Method> parse_method(std::string_view token) {
  if (token == "GET") return Method::kGet;
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), token);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<Method>(found - kMethodNames.begin());
}

std::string_view method_name(Method method) {
  return method == Method::kUnknown ? std::string_view("-")
                                    : kMethodNames[static_cast<std::size_t>(method)];
}

std::string_view reason_phrase(int status) {
  const auto found =
      std::lower_bound(kPhrases.begin(), kPhrases.end(), status,
                       [](const Phrase& phrase, int wanted) { return phrase.status < wanted; });
  return found != kPhrases.end() && found->status == status ? found->text : std::string_view();
}

bool status_has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace servery::http
