#include "config/schema.h"

#include <algorithm>
#include <optional>

#include "config/key_path.h"

namespace servery {
namespace {

constexpr double kSecond = 1000;
constexpr double kHour = 3600 * kSecond;
constexpr double kDay = 24 * kHour;
constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;
constexpr double kTiB = 1024 * kGiB;

constexpr auto kGeneration = ReloadTier::kGeneration;
constexpr auto kRestart = ReloadTier::kRestart;

RespondSettings& respond(Target& t) { return std::get<RespondSettings>(t.route->handler); }
RedirectSettings& redirect(Target& t) { return std::get<RedirectSettings>(t.route->handler); }
StaticSettings& static_files(Target& t) { return std::get<StaticSettings>(t.route->handler); }

constexpr Row kRows[] = {
    {"schema", Type::kInteger, 1, 1, "", kGeneration, "",
     "Version of this format. Required in a file.",
     [](Target& t) -> Field { return &t.settings.schema; }},
    {"profile", Type::kChoice, 0, 0, "local", kGeneration, "--profile",
     "A set of defaults and rules. `local`: listens on 127.0.0.1:8000; with `hosts` empty, a "
     "request's Host must be localhost, *.localhost, an IP literal, a name of this machine or of "
     "`--host` (else 403 `host_not_allowed`, against DNS rebinding). A request that names no host "
     "(HTTP/1.0) is served: browsers always name it.",
     [](Target& t) -> Field { return &t.settings.profile; }},

    {"runtime.workers", Type::kWorkers, 1, 1024, "", kGeneration, "--workers",
     "Worker processes. `auto`: the CPUs this process may use, at most the cgroup quota rounded "
     "up, at least 1.",
     [](Target& t) -> Field { return &t.settings.runtime.workers; }},
    {"runtime.min_workers", Type::kInteger, 1, 1024, "", kGeneration, "",
     "With fewer ready workers than this the service is not ready.",
     [](Target& t) -> Field { return &t.settings.runtime.min_workers; }},
    {"runtime.start_timeout", Type::kDuration, 100, kHour, "", kGeneration, "",
     "How long the workers of a new generation may take until they are ready.",
     [](Target& t) -> Field { return &t.settings.runtime.start_timeout; }},
    {"runtime.drain_timeout", Type::kDuration, 1, kDay, "", kGeneration, "",
     "At a reload: how long the old generation may finish accepted work.",
     [](Target& t) -> Field { return &t.settings.runtime.drain_timeout; }},
    {"runtime.stop_timeout", Type::kDuration, 1, kDay, "", kGeneration, "",
     "At a stop: how long accepted work may take. 8s inside a container (`$container` set), where "
     "the engine kills at 10.",
     [](Target& t) -> Field { return &t.settings.runtime.stop_timeout; }},
    {"runtime.force_timeout", Type::kDuration, 10, 60 * kSecond, "", kGeneration, "",
     "From the last request to leave (or SIGABRT) to SIGKILL of a worker past its deadline.",
     [](Target& t) -> Field { return &t.settings.runtime.force_timeout; }},
    {"runtime.restart.backoff_initial", Type::kDuration, 0, kHour, "", kGeneration, "",
     "The first replacement of a worker is immediate, the next waits this long, then doubling.",
     [](Target& t) -> Field { return &t.settings.runtime.restart.backoff_initial; }},
    {"runtime.restart.backoff_max", Type::kDuration, 0, kHour, "", kGeneration, "",
     "Longest wait between two replacements of a worker.",
     [](Target& t) -> Field { return &t.settings.runtime.restart.backoff_max; }},
    {"runtime.restart.limit", Type::kInteger, 0, 1000, "", kGeneration, "",
     "More ends of one worker place than this within `window` are a crash loop; 0: never.",
     [](Target& t) -> Field { return &t.settings.runtime.restart.limit; }},
    {"runtime.restart.window", Type::kDuration, kSecond, kDay, "", kGeneration, "", "See `limit`.",
     [](Target& t) -> Field { return &t.settings.runtime.restart.window; }},
    {"runtime.recycle.max_requests", Type::kInteger, 0, 1e12, "", kGeneration, "",
     "A worker is replaced, without loss, after this many requests; 0: never.",
     [](Target& t) -> Field { return &t.settings.runtime.recycle.max_requests; }},
    {"runtime.recycle.max_age", Type::kDuration, 0, 365 * kDay, "", kGeneration, "",
     "A worker is replaced, without loss, at this age; 0: never.",
     [](Target& t) -> Field { return &t.settings.runtime.recycle.max_age; }},
    {"runtime.recycle.jitter", Type::kNumber, 0, 1, "", kGeneration, "",
     "Share by which each worker's limits are moved, so that not all come due at once.",
     [](Target& t) -> Field { return &t.settings.runtime.recycle.jitter; }},
    {"runtime.heartbeat.suspect", Type::kDuration, 250, kHour, "", kGeneration, "",
     "A worker silent for this long is suspect: others take over its new connections until it "
     "beats again.",
     [](Target& t) -> Field { return &t.settings.runtime.heartbeat.suspect; }},
    {"runtime.heartbeat.warn", Type::kDuration, 250, kHour, "", kGeneration, "",
     "A worker silent for this long is logged.",
     [](Target& t) -> Field { return &t.settings.runtime.heartbeat.warn; }},
    {"runtime.heartbeat.abort", Type::kDuration, 500, kDay, "", kGeneration, "",
     "A worker silent for this long is aborted with a backtrace and replaced.",
     [](Target& t) -> Field { return &t.settings.runtime.heartbeat.abort; }},
    {"runtime.user", Type::kText, 0, 64, "", kGeneration, "",
     "User the workers run as. Empty: nobody when started as root, else unchanged. `root` only in "
     "profile local.",
     [](Target& t) -> Field { return &t.settings.runtime.user; }},
    {"runtime.group", Type::kText, 0, 64, "", kGeneration, "",
     "Group the workers run as. Empty: the user's primary group.",
     [](Target& t) -> Field { return &t.settings.runtime.group; }},
    {"runtime.control_socket", Type::kPath, 0, 100, "", kRestart, "--control",
     "Where `servery reload`, `status` and `stop` reach the server. Empty: "
     "/run/servery/control.sock as root, else servery/control.sock in $XDG_RUNTIME_DIR, else "
     "servery-UID/control.sock in the temporary directory.",
     [](Target& t) -> Field { return &t.settings.runtime.control_socket; }},

    {"listeners", Type::kList, 0, 64, "", kGeneration, "", "Where connections are accepted.",
     [](Target& t) -> Field { return &t.settings.listeners; }},
    {"listeners[].address", Type::kAddress, 0, 256, "", kGeneration, "--listen",
     "Where to listen. `:443` is IPv4 and IPv6, `0.0.0.0:443` IPv4 only, `[::]:443` IPv6 only; "
     "port 0 lets the "
     "kernel choose; `unix:PATH` a Unix socket; `fd:NAME` or `fd:N` an inherited descriptor "
     "(socket activation).",
     [](Target& t) -> Field { return &t.listener->address; }},
    {"listeners[].mode", Type::kMode, 0, 0777, "", kGeneration, "",
     "Permissions of a Unix socket, a quoted octal number. Default \"0660\".",
     [](Target& t) -> Field { return &t.listener->mode; }},
    {"listeners[].proxy_protocol", Type::kAddresses, 0, 1000, "", kGeneration, "",
     "Load balancers, by address or prefix, `unix` on a Unix socket: each connection begins with a "
     "PROXY header, version 1 or 2, that says whose it is. Others are refused. Empty: no such "
     "header. See identity.md.",
     [](Target& t) -> Field { return &t.listener->proxy_protocol; }},

    {"hosts", Type::kHosts, 0, 256, "", kGeneration, "",
     "Names served; `*.example.org` and `*` (any) allowed. Others get 404. Empty: the rule of the "
     "profile.",
     [](Target& t) -> Field { return &t.settings.hosts; }},
    {"canonical_host", Type::kHost, 0, 253, "", kGeneration, "",
     "The other names are redirected to this one (308, path and query kept). One of `hosts`.",
     [](Target& t) -> Field { return &t.settings.canonical_host; }},
    {"trusted_proxies", Type::kAddresses, 0, 1000, "", kGeneration, "",
     "Proxies, by address or prefix, `unix` for Unix sockets, that are believed what Forwarded or "
     "X-Forwarded-For, -Proto and -Host say of the client. See identity.md.",
     [](Target& t) -> Field { return &t.settings.trusted_proxies; }},

    {"limits.connections", Type::kInteger, 1, 10e6, "", kGeneration, "",
     "Open connections, over all workers and generations.",
     [](Target& t) -> Field { return &t.settings.limits.connections; }},
    {"limits.header_timeout", Type::kDuration, 0, kHour, "", kGeneration, "",
     "From accept, or the first byte of a further request, to the end of the request head; 0: off.",
     [](Target& t) -> Field { return &t.settings.limits.header_timeout; }},
    {"limits.body_timeout", Type::kDuration, 0, kHour, "", kGeneration, "",
     "Longest pause within a request body; 0: off.",
     [](Target& t) -> Field { return &t.settings.limits.body_timeout; }},
    {"limits.write_timeout", Type::kDuration, 0, kHour, "", kGeneration, "",
     "Longest pause of a client in taking its answer; 0: off.",
     [](Target& t) -> Field { return &t.settings.limits.write_timeout; }},
    {"limits.keepalive_timeout", Type::kDuration, 0, kHour, "", kGeneration, "",
     "How long an idle connection is kept for a further request; 0: off.",
     [](Target& t) -> Field { return &t.settings.limits.keepalive_timeout; }},
    {"limits.requests_per_connection", Type::kInteger, 0, 1e9, "", kGeneration, "",
     "A connection is closed after this many requests; 0: unlimited.",
     [](Target& t) -> Field { return &t.settings.limits.requests_per_connection; }},
    {"limits.header_bytes", Type::kSize, 1 * kKiB, 1 * kMiB, "", kGeneration, "",
     "Request line and fields together: 414 when the line alone, 431 when both exceed it.",
     [](Target& t) -> Field { return &t.settings.limits.header_bytes; }},
    {"limits.header_count", Type::kInteger, 8, 1000, "", kGeneration, "",
     "Fields of a request; more are answered by 431.",
     [](Target& t) -> Field { return &t.settings.limits.header_count; }},
    {"limits.body_bytes", Type::kSize, 0, 1024 * kTiB, "", kGeneration, "",
     "Largest request body; more is answered by 413. 0: unlimited.",
     [](Target& t) -> Field { return &t.settings.limits.body_bytes; }},

    {"cache.bytes", Type::kSize, 0, 1 * kTiB, "", kGeneration, "",
     "Memory for the content of small files, of the whole service, divided by the workers; 0: no "
     "cache.",
     [](Target& t) -> Field { return &t.settings.cache.bytes; }},
    {"cache.entries", Type::kInteger, 0, 100e6, "", kGeneration, "",
     "Files kept, of the whole service, divided by the workers; 0: no cache.",
     [](Target& t) -> Field { return &t.settings.cache.entries; }},
    {"cache.max_file", Type::kSize, 0, 64 * kMiB, "", kGeneration, "", "Larger files are not kept.",
     [](Target& t) -> Field { return &t.settings.cache.max_file; }},
    {"cache.revalidate", Type::kRevalidate, 1, kHour, "", kGeneration, "",
     "When a kept file is proved unchanged before use. `turn`: once for all requests that arrived "
     "together; `request`: for each; a duration: not within that time, so an answer may be that "
     "much older than the file.",
     [](Target& t) -> Field { return &t.settings.cache.revalidate; }},

    {"pool.threads", Type::kInteger, 1, 256, "", kGeneration, "",
     "Threads of each worker for file work that may block.",
     [](Target& t) -> Field { return &t.settings.pool.threads; }},
    {"pool.queue", Type::kInteger, 1, 100'000, "", kGeneration, "",
     "Jobs waiting for those threads; more are refused (503).",
     [](Target& t) -> Field { return &t.settings.pool.queue; }},

    {"compression.threads", Type::kInteger, 1, 64, "", kGeneration, "",
     "Threads of each worker that code answers by zstd, brotli and gzip.",
     [](Target& t) -> Field { return &t.settings.compression.threads; }},
    {"compression.queue", Type::kInteger, 1, 10'000, "", kGeneration, "",
     "Codings waiting for those threads; what `saturated` says happens to more.",
     [](Target& t) -> Field { return &t.settings.compression.queue; }},
    {"compression.min_size", Type::kSize, 0, 1 * kGiB, "", kGeneration, "",
     "Smaller files are given as they are.",
     [](Target& t) -> Field { return &t.settings.compression.min_size; }},
    {"compression.max_input", Type::kSize, 0, 1 * kGiB, "", kGeneration, "",
     "Larger files are coded piece by piece while they are sent: without Content-Length, and not "
     "kept.",
     [](Target& t) -> Field { return &t.settings.compression.max_input; }},
    {"compression.cache", Type::kSize, 0, 1 * kTiB, "", kGeneration, "",
     "Memory for coded files, of the whole service, divided by the workers; 0: none is kept.",
     [](Target& t) -> Field { return &t.settings.compression.cache; }},
    {"compression.saturated", Type::kChoice, 0, 0, "identity|refuse", kGeneration, "",
     "What happens when the queue is full. `identity`: the plain bytes are given; `refuse`: 503 "
     "with Retry-After.",
     [](Target& t) -> Field { return &t.settings.compression.saturated; }},
    {"compression.levels.zstd", Type::kInteger, 1, 19, "", kGeneration, "",
     "Level of zstd; the largest keeps to the window of 8 MiB that browsers take.",
     [](Target& t) -> Field { return &t.settings.compression.levels.zstd; }},
    {"compression.levels.br", Type::kInteger, 0, 11, "", kGeneration, "", "Quality of brotli.",
     [](Target& t) -> Field { return &t.settings.compression.levels.br; }},
    {"compression.levels.gzip", Type::kInteger, 1, 9, "", kGeneration, "", "Level of gzip.",
     [](Target& t) -> Field { return &t.settings.compression.levels.gzip; }},

    {"logging.level", Type::kChoice, 0, 0, "debug|info|warning|error", kGeneration, "",
     "Least level of a line in the log on standard error.",
     [](Target& t) -> Field { return &t.settings.logging.level; }},

    {"headers.set", Type::kHeaderMap, 0, 64, "", kGeneration, "",
     "Fields every answer carries, errors included, in place of what it had. A route's come after "
     "these.",
     [](Target& t) -> Field { return &t.settings.headers.set; }},
    {"headers.add", Type::kHeaderMap, 0, 64, "", kGeneration, "", "Fields added to every answer.",
     [](Target& t) -> Field { return &t.settings.headers.add; }},
    {"headers.remove", Type::kHeaderNames, 0, 64, "", kGeneration, "",
     "Fields taken from every answer.",
     [](Target& t) -> Field { return &t.settings.headers.remove; }},
    {"error_pages", Type::kErrorPages, 0, 64, "", kGeneration, "",
     "Bodies of the errors that the server itself answers, STATUS: FILE: a status from 400 to 599, "
     "or `4xx`, `5xx` for those that have none of their own. Status and fields stay, Content-Type "
     "is that of the file's extension; a `respond` gives its own body. Files are read at a start "
     "and at each reload, never by a worker: at most 256 KiB each, 64 of them, 4 MiB together.",
     [](Target& t) -> Field { return &t.settings.error_pages; }},

    {"auth.*.basic.file", Type::kPath, 1, 4095, "", kGeneration, "",
     "Password file of USER:HASH lines, as `servery passwd` and htpasswd write them: argon2id, "
     "bcrypt, SHA-crypt. Read at a start and at each reload, never by a worker. See auth.md.",
     [](Target& t) -> Field { return &t.auth->file; }},
    {"auth.*.basic.users", Type::kUserLines, 0, 100, "", kGeneration, "",
     "USER:HASH lines beside those of the file. One of the two is required.",
     [](Target& t) -> Field { return &t.auth->users; }},
    {"auth.*.realm", Type::kRealm, 0, 128, "", kGeneration, "",
     "What a browser shows when it asks for the password. Empty: the entry's name.",
     [](Target& t) -> Field { return &t.auth->realm; }},
    {"auth.*.read", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may read. `anyone`: also without a password; `users`: every user there is. Default "
     "`users`.",
     [](Target& t) -> Field { return &t.auth->read; }},
    {"auth.*.list", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may see the names in a directory: a listing, an archive. Default: as `read`.",
     [](Target& t) -> Field { return &t.auth->list; }},
    {"auth.*.write", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may create, overwrite and move. Default: as `read`, but `users` where that is `anyone`.",
     [](Target& t) -> Field { return &t.auth->write; }},
    {"auth.*.create", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may make what is not there: POST, PUT, MKCOL, COPY. Default: as `write`.",
     [](Target& t) -> Field { return &t.auth->create; }},
    {"auth.*.overwrite", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may change what is there: PUT, PATCH, PROPPATCH. Default: as `write`.",
     [](Target& t) -> Field { return &t.auth->overwrite; }},
    {"auth.*.move", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may MOVE. Default: as `write`.", [](Target& t) -> Field { return &t.auth->move; }},
    {"auth.*.delete", Type::kGrantees, 0, 1000, "", kGeneration, "",
     "Who may DELETE. Default: as `write`.", [](Target& t) -> Field { return &t.auth->remove; }},

    {"routes", Type::kList, 0, 1000, "", kGeneration, "",
     "What is served where. Chosen by exact `host`, then `*.host`, then none; within that by the "
     "longest `path` that equals the request path or ends at a `/` in it; then by `methods`. Each "
     "has exactly one of static, respond, redirect.",
     [](Target& t) -> Field { return &t.settings.routes; }},
    {"routes[].path", Type::kRoutePath, 0, 1024, "", kGeneration, "",
     "The path and everything below it; `=/x` only that path. The matched part is removed before a "
     "file is looked up. Required.",
     [](Target& t) -> Field { return t.route; }},
    {"routes[].host", Type::kHostPattern, 0, 253, "", kGeneration, "",
     "Only for this name; `*.example.org` its sub-domains. Empty: every name.",
     [](Target& t) -> Field { return &t.route->host; }},
    {"routes[].methods", Type::kMethods, 0, 32, "", kGeneration, "",
     "Methods taken: a list, or `any`. GET brings HEAD with it. Default: what the handler takes "
     "(static and respond: GET, HEAD; redirect: any). Others get 405.",
     [](Target& t) -> Field { return &t.route->methods; }},
    {"routes[].headers.set", Type::kHeaderMap, 0, 64, "", kGeneration, "",
     "As the top-level `headers`, for this route.",
     [](Target& t) -> Field { return &t.route->headers.set; }},
    {"routes[].headers.add", Type::kHeaderMap, 0, 64, "", kGeneration, "",
     "As the top-level `headers`, for this route.",
     [](Target& t) -> Field { return &t.route->headers.add; }},
    {"routes[].headers.remove", Type::kHeaderNames, 0, 64, "", kGeneration, "",
     "As the top-level `headers`, for this route.",
     [](Target& t) -> Field { return &t.route->headers.remove; }},
    {"routes[].error_pages", Type::kErrorPages, 0, 64, "", kGeneration, "",
     "As the top-level `error_pages`, for errors of this route. A status that is not here, neither "
     "itself nor as `4xx` or `5xx`, is looked for there.",
     [](Target& t) -> Field { return &t.route->error_pages; }},
    {"routes[].cors.origins", Type::kOrigins, 0, 64, "", kGeneration, "",
     "Origins whose pages may read the answers, such as `https://app.example.org`, errors "
     "included; `[\"*\"]` any. Preflights are answered without credentials. Required in `cors`.",
     [](Target& t) -> Field { return &t.route->cors.origins; }},
    {"routes[].cors.headers", Type::kFieldNames, 0, 64, "", kGeneration, "",
     "Request fields that those pages may set.",
     [](Target& t) -> Field { return &t.route->cors.headers; }},
    {"routes[].cors.expose", Type::kFieldNames, 0, 64, "", kGeneration, "",
     "Response fields that those pages may read, beside those the Fetch standard always allows.",
     [](Target& t) -> Field { return &t.route->cors.expose; }},
    {"routes[].cors.credentials", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Requests may carry cookies and credentials. Not with any origin.",
     [](Target& t) -> Field { return &t.route->cors.credentials; }},
    {"routes[].cors.private_network", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Pages from the internet may reach this server in a private network (Private Network Access).",
     [](Target& t) -> Field { return &t.route->cors.private_network; }},
    {"routes[].cors.max_age", Type::kDuration, 0, kDay, "", kGeneration, "",
     "How long a browser may keep the answer to a preflight; 0: as it likes.",
     [](Target& t) -> Field { return &t.route->cors.max_age; }},
    {"routes[].sandbox", Type::kBoolean, 0, 0, "", kGeneration, "",
     "For what users put there: a Content-Security-Policy that keeps pages and pictures from "
     "running scripts, sending forms or acting for this site.",
     [](Target& t) -> Field { return &t.route->sandbox; }},
    {"routes[].allow", Type::kAddresses, 0, 1000, "", kGeneration, "",
     "Clients served, by address or prefix, `unix` for those that come by a Unix socket; others "
     "get "
     "403. Empty: all. See identity.md.",
     [](Target& t) -> Field { return &t.route->allow; }},
    {"routes[].deny", Type::kAddresses, 0, 1000, "", kGeneration, "",
     "Clients that get 403, also where `allow` lists them.",
     [](Target& t) -> Field { return &t.route->deny; }},
    {"routes[].auth", Type::kText, 0, 64, "", kGeneration, "",
     "Name of the entry of `auth` that says who may do what here. Empty: no password is asked for.",
     [](Target& t) -> Field { return &t.route->auth; }},
    {"routes[].fallback", Type::kText, 0, 1025, "", kGeneration, "",
     "Path of another route, as it is configured there, of the same host, else of no host: it "
     "answers what this static route does not find (a missing file, a directory without index and "
     "listing, a hidden name), as if it had been asked, with its own fields, password and handler; "
     "static looks for the same rest of the path below its own root. It must take GET; it may have "
     "a fallback itself, 8 in all.",
     [](Target& t) -> Field { return &t.route->fallback; }},
    {"routes[].static.root", Type::kPath, 1, 4095, "", kGeneration, "--root",
     "Directory whose files are served. Required.",
     [](Target& t) -> Field { return &static_files(t).root; }},
    {"routes[].static.index", Type::kNames, 0, 16, "", kGeneration, "--index",
     "Files served for a directory, the first that exists.",
     [](Target& t) -> Field { return &static_files(t).index; }},
    {"routes[].static.hidden", Type::kChoice, 0, 0, "deny|list|allow", kGeneration, "--hidden",
     "Names that begin with a dot, `.well-known` excepted. `deny`: 404, as if missing; `list`: "
     "served when named, never listed; `allow`: as other files. A rule of names in requests: what "
     "a visible link leads to is served.",
     [](Target& t) -> Field { return &static_files(t).hidden; }},
    {"routes[].static.symlinks", Type::kChoice, 0, 0, "inside|none|all", kGeneration, "--symlinks",
     "Symbolic links below the root. `inside`: followed while the result is inside the root; "
     "`none`: never; `all`: followed "
     "anywhere.",
     [](Target& t) -> Field { return &static_files(t).symlinks; }},
    {"routes[].static.listing", Type::kBoolean, 0, 0, "", kGeneration, "--listing",
     "List directories without an index file. In HTML, JSON and NDJSON, see listings.md; else they "
     "are 404. On for the one route of a start without a file.",
     [](Target& t) -> Field { return &static_files(t).listing; }},
    {"routes[].static.readme", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Show the README of a directory below its HTML listing: README.md, README.markdown, README or "
     "README.txt. See listings.md. Needs `listing`.",
     [](Target& t) -> Field { return &static_files(t).readme; }},
    {"routes[].static.archive", Type::kBoolean, 0, 0, "", kGeneration, "--archive",
     "Give directories as one download for `?archive=zip`, `tar`, `tar.gz` or `tar.zst`. See "
     "archives.md.",
     [](Target& t) -> Field { return &static_files(t).archive; }},
    {"routes[].static.compress", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Code text and what is like it by zstd, brotli or gzip where the client takes that. See "
     "coding.md.",
     [](Target& t) -> Field { return &static_files(t).compress; }},
    {"routes[].static.precompressed", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Give FILE.zst, FILE.br or FILE.gz in place of such a FILE where the client takes that.",
     [](Target& t) -> Field { return &static_files(t).precompressed; }},
    {"routes[].static.mime_types", Type::kTypeMap, 0, 256, "", kGeneration, "",
     "Content-Type by extension, EXTENSION: TYPE, before the server's own table. The extension is "
     "what follows the last dot, in lower case and without it; the type is sent as it is written, "
     "charset included.",
     [](Target& t) -> Field { return &static_files(t).mime_types; }},
    {"routes[].static.attachment", Type::kMediaRanges, 0, 64, "", kGeneration, "",
     "Media types that are given as downloads (Content-Disposition: attachment): "
     "`application/pdf`, `video/*`, `*/*`. Any file is one where the query has `download` or "
     "`download=NAME`; the extension stays that of the file.",
     [](Target& t) -> Field { return &static_files(t).attachment; }},
    {"routes[].static.etag", Type::kChoice, 0, 0, "inode|mtime|content", kGeneration, "",
     "What entity tags are made of. `inode`: inode, size, mtime and ctime in nanoseconds, which "
     "shows every change on this host. `mtime`: size and mtime, the same on all hosts with copies "
     "that keep the mtime; weak where the mtime is of whole seconds. `content`: a hash of the "
     "bytes "
     "(128 bits of SHA-256), the same wherever they are; each file is read once for it. All are "
     "weak for the first 20 ms after a change.",
     [](Target& t) -> Field { return &static_files(t).etag; }},
    {"routes[].static.digests", Type::kBoolean, 0, 0, "", kGeneration, "",
     "Answer Want-Repr-Digest and Want-Content-Digest (RFC 9530) with SHA-256 or SHA-512. See "
     "digests.md.",
     [](Target& t) -> Field { return &static_files(t).digests; }},
    {"routes[].static.clean_urls", Type::kBoolean, 0, 0, "", kGeneration, "",
     "`/about` that is neither a file nor a directory gets `about.html`. `/about.html` is still "
     "answered, without a redirect.",
     [](Target& t) -> Field { return &static_files(t).clean_urls; }},
    {"routes[].static.spa", Type::kBoolean, 0, 0, "", kGeneration, "--spa",
     "A single-page application: a navigation that finds no file (its Accept names text/html, its "
     "last segment has no dot) gets the root's index file. All else that is missing stays 404.",
     [](Target& t) -> Field { return &static_files(t).spa; }},
    {"routes[].static.cache_control", Type::kHeaderValue, 0, 256, "", kGeneration, "",
     "Value of Cache-Control; empty: not sent.",
     [](Target& t) -> Field { return &static_files(t).cache_control; }},
    {"routes[].static.cache_rules", Type::kPatternMap, 0, 64, "", kGeneration, "",
     "Cache-Control by path, PATTERN: VALUE, the first that matches; else `cache_control`. A "
     "pattern "
     "without `/` is for the file's name, another for the path below the root. `*` is any "
     "characters but `/`, `**` any, `?` one, `{hash}` the hash in a name that a build tool made: 8 "
     "to 64 letters and digits, both of them. `\"*.{hash}.*\": \"public, max-age=31536000, "
     "immutable\"`.",
     [](Target& t) -> Field { return &static_files(t).cache_rules; }},
    {"routes[].respond.status", Type::kInteger, 200, 599, "", kGeneration, "",
     "Status of the fixed answer.", [](Target& t) -> Field { return &respond(t).status; }},
    {"routes[].respond.body", Type::kText, 0, 64 * kKiB, "", kGeneration, "",
     "Body of the fixed answer.", [](Target& t) -> Field { return &respond(t).body; }},
    {"routes[].redirect.to", Type::kRedirectTo, 1, 2048, "", kGeneration, "",
     "Replaces the matched part of the path; rest and query are kept, unless {host} {path} {rest} "
     "{query} say where they go. {host} needs `hosts`. Required.",
     [](Target& t) -> Field { return &redirect(t).to; }},
    {"routes[].redirect.status", Type::kInteger, 301, 308, "301|302|303|307|308", kGeneration, "",
     "Status of the redirect.", [](Target& t) -> Field { return &redirect(t).status; }},
};

template <typename Handler>
void emplace_handler(RouteSettings& route) {
  if (!std::holds_alternative<Handler>(route.handler)) route.handler.emplace<Handler>();
}

}  // namespace

std::span<const Row> schema() { return kRows; }

const Row* find_row(std::string_view key) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [key](const Row& candidate) { return candidate.key == key; });
  return row == std::end(kRows) ? nullptr : row;
}

std::vector<std::string_view> names_in_section(std::string_view key) {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) {
    std::string_view rest = row.key;
    if (!key.empty()) {
      if (!rest.starts_with(key) || rest.size() <= key.size() || rest[key.size()] != '.') continue;
      rest.remove_prefix(key.size() + 1);
    }
    const std::string_view name = rest.substr(0, rest.find_first_of(".["));
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

bool is_section(std::string_view key) { return !names_in_section(key).empty(); }

std::string schema_key(std::string_view key) {
  std::string out;
  if (const auto item = named_item(key)) {
    out = std::string(item->section) + ".*";
    key.remove_prefix(item->section.size() + 1 + item->name.size());
  }
  bool inside = false;
  for (const char c : key) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> out;
  while (!choices.empty()) {
    const std::size_t end = choices.find('|');
    out.push_back(choices.substr(0, end));
    choices.remove_prefix(end == std::string_view::npos ? choices.size() : end + 1);
  }
  return out;
}

std::string_view handler_name(const RouteSettings& route) {
  return kHandlerNames[route.handler.index()];
}

void select_handler(RouteSettings& route, std::string_view name) {
  if (name == "static") emplace_handler<StaticSettings>(route);
  if (name == "respond") emplace_handler<RespondSettings>(route);
  if (name == "redirect") emplace_handler<RedirectSettings>(route);
}

bool applies(const Row& row, const Target& target) {
  constexpr std::string_view kRoutes = "routes[].";
  if (!row.key.starts_with(kRoutes)) return true;
  const std::string_view rest = row.key.substr(kRoutes.size());
  const std::string_view name = rest.substr(0, rest.find('.'));
  const bool of_handler = std::find(std::begin(kHandlerNames), std::end(kHandlerNames), name) !=
                          std::end(kHandlerNames);
  return !of_handler || name == handler_name(*target.route);
}

}  // namespace servery
