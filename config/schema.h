// One row per key: path, type, bounds, reload tier, flag, documentation, and the field it stands
// for. The loader, the flags, the environment, `servery config`, the reload diff and
// docs/configuration.md are all generated from this table; a key that is not here is refused
// everywhere. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/plan.h"
#include "config/settings.h"

namespace servery {

// What a row's accessor works on. `listener`, `route` and `auth` are set for rows below those.
struct Target {
  Settings& settings;
  ListenerSettings* listener = nullptr;
  RouteSettings* route = nullptr;
  AuthSettings* auth = nullptr;
};

using HeaderPairs = std::vector<std::pair<std::string, std::string>>;
using TextList = std::vector<std::string>;

// The field behind a key. The alternative decides how it is stored, the row's Type how it is
// written.
using Field =
    std::variant<std::uint16_t*, std::uint32_t*, std::uint64_t*, double*, Duration*, std::string*,
                 TextList*, HeaderPairs*, std::optional<std::uint32_t>*, bool*, Profile*, Hidden*,
                 Symlinks*, Revalidate*, MethodSet*, RouteSettings*, Grantees*,
                 std::vector<ListenerSettings>*, std::vector<RouteSettings>*>;

enum class Type {
  kInteger,
  kNumber,
  kDuration,
  kSize,
  kText,
  kBoolean,
  kChoice,       // one of `choices`
  kWorkers,      // `auto` or an integer
  kPath,         // file system path, absolute after load
  kMode,         // "0660"
  kAddress,      // where to listen
  kHost,         // host name
  kHostPattern,  // host name or *.NAME
  kHosts,        // list of host patterns, or "*"
  kRoutePath,    // /PATH or =/PATH
  kMethods,      // `any` or a list
  kNames,        // list of file names
  kHeaderMap,    // NAME: VALUE
  kHeaderNames,  // list of field names
  kFieldNames,   // list of field names, the server's own too
  kOrigins,      // list of origins, or "*"
  kAddresses,    // list of addresses, prefixes, or "unix"
  kPatternMap,   // PATTERN: header value
  kTypeMap,      // EXTENSION: media type
  kErrorPages,   // STATUS: path, absolute after load
  kMediaRanges,  // list of media types, or "TYPE/*"
  kHeaderValue,  // value of a header field
  kRevalidate,   // turn, request or a duration
  kRedirectTo,   // where a redirect leads
  kGrantees,     // `anyone`, `users` or a list of user names
  kUserLines,    // list of USER:HASH; the hashes are never shown
  kRealm,        // printable ASCII
  kList,         // of sections
};

struct Row {
  std::string_view key;  // "limits.header_bytes", "routes[].static.root", "auth.*.read"
  Type type;
  double minimum = 0;  // integers, numbers; bytes; milliseconds; length of texts and lists
  double maximum = 0;
  std::string_view choices;  // kChoice: "deny|list|allow"; integers: the only values allowed
  ReloadTier tier = ReloadTier::kGeneration;
  std::string_view flag;  // "--workers"; empty: by --set only
  std::string_view doc;
  Field (*field)(Target& target);
};

std::span<const Row> schema();
const Row* find_row(std::string_view key);  // indices written as "[]"
// Names that may stand in the section `key` ("" the top level, "routes[]", "routes[].static").
std::vector<std::string_view> names_in_section(std::string_view key);
bool is_section(std::string_view key);

// "routes[3].path" -> "routes[].path", "auth.team.read" -> "auth.*.read".
std::string schema_key(std::string_view key);
std::vector<std::string_view> split_choices(std::string_view choices);

// The handlers of a route: exactly one section of these stands in each.
inline constexpr std::string_view kHandlerNames[] = {"static", "respond", "redirect"};
std::string_view handler_name(const RouteSettings& route);
// Makes `name` the handler of the route, with that handler's defaults, unless it is already.
void select_handler(RouteSettings& route, std::string_view name);
// Whether the row stands for something this target has (rows of other handlers do not).
bool applies(const Row& row, const Target& target);

}  // namespace servery
