#include "config/reference.h"

#include <fmt/format.h>

#include "config/schema.h"
#include "config/value_text.h"

namespace servery {
namespace {

constexpr std::string_view kHead =
    R"(<!-- Generated from config/schema.cc by `config_doc`; a test compares. Change the schema instead. -->
# Configuration

One YAML file, or none: `servery serve DIR` needs only flags. `servery check` names every problem with
its position, `servery config` prints the effective values and where each came from.

- **Precedence**: built-in defaults < profile < file (`-c FILE`) < environment < flags. Lists replace lists.
- **Environment**: `SERVERY__RUNTIME__WORKERS=4` sets `runtime.workers`; a number is an index:
  `SERVERY__ROUTES__0__PATH`. Values are YAML.
- **Flags**: `--set KEY=VALUE` for every key (`--set routes[0].static.hidden=allow`); some have a flag of their
  own, named below. `--host NAME` (repeatable) adds a name to the `local` profile's host rule; it is no key.
- **Without `-c`** there is one route: path `/`, static, its root the DIR argument (default `.`).
- **Strict**: unknown keys, duplicate keys, wrong types and values out of range are errors. No anchors, aliases,
  merge keys or tags; one document; UTF-8; at most 1 MiB and 32 levels.
- **Integers** are decimal without leading zero. **Durations**: `250ms`, `30s`, `5m`, `1h`. **Sizes**: bytes,
  `64KiB`, `10MiB`, `1GiB`, `1TiB`. 0 means off or unlimited where it is allowed.
- **Relative paths** start at the file's directory; in flags and environment at the working directory.
- **Reload**: *generation* values change by a reload, with new workers and without losing a request; *restart*
  values are refused by a reload, which names them.

```yaml
schema: 1
listeners:
  - address: ":80"
hosts: [www.example.org, example.org]
canonical_host: example.org
routes:
  - path: /
    static: {root: ./public}
  - path: /old
    redirect: {to: /new}
  - path: "=/health"
    respond: {body: "ok\n"}
```
)";

std::string_view type_words(const Row& row) {
  switch (row.type) {
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kDuration:
      return "duration";
    case Type::kSize:
      return "size";
    case Type::kText:
      return "text";
    case Type::kBoolean:
      return "`true` or `false`";
    case Type::kChoice:
      return "one of";
    case Type::kWorkers:
      return "`auto` or integer";
    case Type::kPath:
      return "path";
    case Type::kMode:
      return "quoted octal number";
    case Type::kAddress:
      return "address";
    case Type::kHost:
      return "host name";
    case Type::kHostPattern:
      return "host name or `*.NAME`";
    case Type::kHosts:
      return "list of host names, `*.NAME`, `*`";
    case Type::kRoutePath:
      return "`/PATH` or `=/PATH`";
    case Type::kMethods:
      return "`any` or list of methods";
    case Type::kNames:
      return "list of file names";
    case Type::kHeaderMap:
      return "section of `NAME: VALUE`";
    case Type::kHeaderNames:
    case Type::kFieldNames:
      return "list of field names";
    case Type::kOrigins:
      return "list of origins, or `[\"*\"]`";
    case Type::kMediaRanges:
      return "list of media types, or of `TYPE/*`";
    case Type::kAddresses:
      return "list of addresses, `ADDRESS/LENGTH`, `unix`";
    case Type::kPatternMap:
      return "section of `PATTERN: VALUE`";
    case Type::kTypeMap:
      return "section of `EXTENSION: TYPE`";
    case Type::kErrorPages:
      return "section of `STATUS: FILE`";
    case Type::kHeaderValue:
      return "field value";
    case Type::kRevalidate:
      return "`turn`, `request` or duration";
    case Type::kRedirectTo:
      return "path or http(s) URL";
    case Type::kGrantees:
      return "`anyone`, `users` or list of user names";
    case Type::kUserLines:
      return "list of USER:HASH";
    case Type::kRealm:
      return "printable ASCII";
    case Type::kList:
      return "list of sections";
  }
  return "";
}

bool has_range(const Row& row) {
  switch (row.type) {
    case Type::kInteger:
    case Type::kNumber:
    case Type::kDuration:
    case Type::kSize:
    case Type::kWorkers:
    case Type::kRevalidate:
    case Type::kChoice:
      return true;
    default:
      return false;
  }
}

// What a settings tree that nobody changed holds for the row, with a route of the row's handler.
std::string default_text(const Row& row) {
  Settings settings;
  ListenerSettings listener;
  RouteSettings route;
  AuthSettings auth;
  const auto parts = std::string_view(row.key).find("routes[].");
  if (parts == 0) {
    const std::string_view rest = row.key.substr(std::string_view("routes[].").size());
    select_handler(route, rest.substr(0, rest.find('.')));
  }
  Target target{settings, &listener, &route, &auth};
  const bool required =
      row.minimum > 0 && (row.type == Type::kPath || row.type == Type::kRedirectTo);
  if (required || row.type == Type::kAddress || row.type == Type::kRoutePath) return {};
  if (row.type == Type::kMethods || row.type == Type::kList) return {};
  return write_value(row, target);
}

std::string row_text(const Row& row) {
  std::string out = fmt::format("\n### `{}`\n\n{}\n\n", row.key, row.doc);
  out += fmt::format("*{}*", type_words(row));
  if (has_range(row)) out += fmt::format(" {}", describe_bounds(row));
  const std::string value = default_text(row);
  if (!value.empty()) out += fmt::format(" · default `{}`", value);
  out += fmt::format(" · reload: {}", tier_name(row.tier));
  if (!row.flag.empty()) out += fmt::format(" · flag `{}`", row.flag);
  return out + "\n";
}

// "runtime.restart.limit" -> "runtime", "routes[].path" -> "routes".
std::string_view top_name(std::string_view key) { return key.substr(0, key.find_first_of(".[")); }

}  // namespace

std::string configuration_reference() {
  std::string out(kHead);
  std::string_view section;
  for (const Row& row : schema()) {
    if (top_name(row.key) != section) {
      section = top_name(row.key);
      out += fmt::format("\n## {}\n", section);
    }
    out += row_text(row);
  }
  return out;
}

}  // namespace servery
