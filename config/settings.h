// The Settings struct tree with its defaults; nothing else declares a default. Plain values: built
// by config/load in the check child and in every worker, then immutable. std only, so that any
// layer's composition root may include it. Durations: 0 means off; sizes are bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace servery {

using Duration = std::chrono::milliseconds;

enum class Profile { kLocal };  // names: rows `profile` of the schema

struct RestartSettings {
  Duration backoff_initial{100};
  Duration backoff_max{30'000};
  std::uint32_t limit = 5;  // 0: never a crash loop
  Duration window{60'000};
};

struct RecycleSettings {
  std::uint64_t max_requests = 0;
  Duration max_age{0};
  double jitter = 0.1;  // share of the limit, 0 to 1
};

struct HeartbeatSettings {
  Duration suspect{1'000};
  Duration warn{5'000};
  Duration abort{30'000};
};

struct RuntimeSettings {
  std::uint32_t workers = 0;  // 0: auto
  std::uint32_t min_workers = 1;
  Duration start_timeout{30'000};
  Duration drain_timeout{60'000};
  Duration stop_timeout{25'000};  // 8 s inside a container, see load
  Duration force_timeout{1'000};
  RestartSettings restart;
  RecycleSettings recycle;
  HeartbeatSettings heartbeat;
  std::string user;            // empty: nobody when started as root, else unchanged
  std::string group;           // empty: the user's primary group
  std::string control_socket;  // absolute path; empty: the default place
};

struct ListenerSettings {
  std::string address;                // as configured: the listener's identity over reloads
  std::optional<std::uint32_t> mode;  // permission bits of a Unix socket
  // Who connects, and must send a PROXY header: addresses, prefixes, "unix". Empty: no such header.
  std::vector<std::string> proxy_protocol{};
};

struct LimitSettings {
  std::uint64_t connections = 10'000;  // whole service, over all workers and generations
  Duration header_timeout{10'000};
  Duration body_timeout{30'000};   // without a byte
  Duration write_timeout{30'000};  // without progress
  Duration keepalive_timeout{75'000};
  std::uint64_t requests_per_connection = 0;  // 0: unlimited
  std::uint64_t header_bytes = 16 * 1024;     // request line and fields together
  std::uint64_t header_count = 100;
  std::uint64_t body_bytes = 10 * 1024 * 1024;  // 0: unlimited
};

// When a cached file must be proved unchanged before it is used.
struct Revalidate {
  enum class Mode { kTurn, kRequest, kInterval };
  Mode mode = Mode::kTurn;
  Duration interval{0};  // kInterval only
};

struct CacheSettings {
  std::uint64_t bytes = 64 * 1024 * 1024;  // service budget, divided by the workers; 0: no cache
  std::uint64_t entries = 20'000;          // likewise
  std::uint64_t max_file = 128 * 1024;
  Revalidate revalidate;
};

struct PoolSettings {  // per worker
  std::uint32_t threads = 4;
  std::uint32_t queue = 256;
};

struct CodingLevelSettings {
  std::uint32_t zstd = 3;
  std::uint32_t br = 5;
  std::uint32_t gzip = 6;
};

struct CompressionSettings {
  std::uint32_t threads = 1;  // per worker
  std::uint32_t queue = 64;   // likewise
  std::uint64_t min_size = 1024;
  std::uint64_t max_input = 10 * 1024 * 1024;
  std::uint64_t cache = 32 * 1024 * 1024;  // service budget, divided by the workers; 0: none
  std::string saturated = "identity";      // or "refuse"
  CodingLevelSettings levels;
};

struct LoggingSettings {
  std::string level = "info";  // debug, info, warning, error
};

// Applied to every answer, top level first, then the route's: remove, then set, then add.
struct HeaderRules {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::pair<std::string, std::string>> add;
  std::vector<std::string> remove;
  bool empty() const { return set.empty() && add.empty() && remove.empty(); }
};

// Status ("404", "4xx") -> file, absolute after load, whose content is the body of that error.
using ErrorPageFiles = std::vector<std::pair<std::string, std::string>>;

// Which other origins may read a route's answers (Fetch standard). Without origins: none.
struct CorsSettings {
  std::vector<std::string> origins;  // "https://app.example.org", lower case; {"*"}: any
  std::vector<std::string> headers{"Content-Type",      "Authorization",      "Range",
                                   "If-Match",          "If-None-Match",      "If-Range",
                                   "If-Modified-Since", "If-Unmodified-Since"};
  std::vector<std::string> expose{
      "ETag", "Accept-Ranges", "Content-Range", "Content-Disposition", "Location", "Retry-After"};
  bool credentials = false;
  bool private_network = false;
  Duration max_age{600'000};
};

enum class Hidden {
  kDeny,   // 404, as if missing (`.well-known` excepted)
  kList,   // served when named, never listed
  kAllow,  // served and listed
};

enum class Symlinks {
  kInside,  // followed while the result stays inside the root
  kNone,    // never followed
  kAll,     // followed anywhere
};

struct StaticSettings {
  std::string root;  // absolute after load
  std::vector<std::string> index{"index.html"};
  Hidden hidden = Hidden::kDeny;
  Symlinks symlinks = Symlinks::kInside;
  std::string cache_control = "no-cache";  // empty: the field is not sent
  // Pattern -> value, before `cache_control`; the first that matches.
  std::vector<std::pair<std::string, std::string>> cache_rules{};
  // Extension, in lower case -> Content-Type, before the server's own table.
  std::vector<std::pair<std::string, std::string>> mime_types{};
  std::vector<std::string> attachment{};  // media types given as downloads: "type/sub", "type/*"
  std::string etag = "inode";             // or "mtime", "content"
  bool digests = true;                    // Repr-Digest and Content-Digest for who asks
  bool listing = false;                   // of directories without an index
  bool archive = false;                   // ?archive= on directories
  bool readme = false;                    // of a directory, below its listing
  bool compress = true;                   // code text-like files that are asked for coded
  bool precompressed = true;              // give FILE.br, .zst, .gz in place of FILE
  bool clean_urls = false;                // NAME.html for NAME that finds nothing
  bool spa = false;                       // the root's index for navigations that find nothing
};

struct RespondSettings {
  std::uint16_t status = 200;
  std::string body;
};

struct RedirectSettings {
  std::string to;  // may use {host} {path} {rest} {query}
  std::uint16_t status = 308;
};

// The methods a route takes, as resolved by load: `any`, or a non-empty list. GET brings HEAD with
// it (RFC 9110 9.1). Default: static and respond GET, HEAD; redirect any.
struct MethodSet {
  bool any = false;
  std::vector<std::string> names;
};

// Whom a right is given to.
struct Grantees {
  enum class Kind {
    kDefault,  // not set; none is left after load
    kAnyone,
    kUsers,  // all there are
    kNamed,
  };
  Kind kind = Kind::kDefault;
  std::vector<std::string> names;  // kNamed; none: nobody
};

struct AuthSettings {
  std::string name;
  std::string file;                // absolute; empty: none
  std::vector<std::string> users;  // USER:HASH, beside those of the file
  std::string realm;               // empty: the name
  Grantees read;
  Grantees list;
  Grantees write;  // what `create`, `overwrite`, `move` and `remove` are without their own
  Grantees create;
  Grantees overwrite;
  Grantees move;
  Grantees remove;  // key: delete
};

struct RouteSettings {
  std::string host;  // lower case; "" every host, "*.example.org" its sub-domains
  std::string path = "/";
  bool exact = false;  // configured as "=/x"; `path` is "/x"
  MethodSet methods;
  HeaderRules headers;
  ErrorPageFiles error_pages;  // before the top level's
  CorsSettings cors;
  bool sandbox = false;            // what is there was put there by users
  std::vector<std::string> allow;  // addresses, prefixes, "unix"; empty: all
  std::vector<std::string> deny;   // likewise; goes before `allow`
  std::string auth;                // name of an AuthSettings; empty: everyone may do everything
  std::string fallback;  // path of the route that takes what static does not find; empty: none
  std::variant<StaticSettings, RespondSettings, RedirectSettings> handler;
};

struct Settings {
  std::uint32_t schema = 1;  // version of the file format
  Profile profile = Profile::kLocal;
  RuntimeSettings runtime;
  std::vector<ListenerSettings> listeners;
  std::vector<std::string> hosts;  // lower case; empty: the profile's rule
  // Names added to the local profile's host rule by `--host`; not a key, a flag of the command
  // line.
  std::vector<std::string> local_hosts;
  std::string canonical_host;
  std::vector<std::string> trusted_proxies;  // addresses, prefixes, "unix"
  LimitSettings limits;
  CacheSettings cache;
  PoolSettings pool;
  CompressionSettings compression;
  LoggingSettings logging;
  HeaderRules headers;
  ErrorPageFiles error_pages;
  std::vector<AuthSettings> auth;  // names unique
  std::vector<RouteSettings> routes;
};

}  // namespace servery
