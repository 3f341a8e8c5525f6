#include "config/validate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "common/base/text.h"
#include "common/base/unique_fd.h"
#include "config/address.h"
#include "config/fallback.h"
#include "config/identity.h"
#include "config/syntax.h"

namespace servery {
namespace {

// Whether both name one socket, also by other names of its directory.
bool is_same_path(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code unknown;
  const auto resolved = [&unknown](const std::string& path) {
    const std::filesystem::path whole(path);
    return std::filesystem::weakly_canonical(whole.parent_path(), unknown) / whole.filename();
  };
  return resolved(a) == resolved(b);
}

class Validator {
 public:
  Validator(const Loaded& loaded, const CheckEnvironment& environment, std::uint32_t workers)
      : loaded_(loaded), settings_(loaded.settings), environment_(environment), workers_(workers) {}

  std::vector<Problem> run() {
    check_runtime();
    check_identity();
    check_listeners();
    if (is_sound("hosts")) check_hosts();
    for (std::size_t i = 0; i < settings_.routes.size(); ++i) check_route(i);
    check_overlaps();
    return std::move(problems_);
  }

 private:
  void add(std::string key, std::string reason, std::string message, std::string suggestion = {}) {
    if (problems_.size() >= kMaxProblems || !is_sound(key)) return;
    problems_.push_back(problem_at(loaded_.provenance, std::move(key), std::move(reason),
                                   std::move(message), std::move(suggestion)));
  }

  // Nothing at, above or below `key` failed to load; what did would only cause faults that are not
  // there.
  bool is_sound(std::string_view key) const {
    return std::none_of(loaded_.problems.begin(), loaded_.problems.end(),
                        [key](const Problem& problem) {
                          return is_within(problem.key, key) || is_within(key, problem.key);
                        });
  }

  static bool is_within(std::string_view key, std::string_view section) {
    if (!key.starts_with(section) || section.empty()) return false;
    return key.size() == section.size() || key[section.size()] == '.' || key[section.size()] == '[';
  }

  void check_runtime() {
    const RuntimeSettings& runtime = settings_.runtime;
    if (is_sound("runtime.workers") && runtime.min_workers > workers_) {
      add("runtime.min_workers", "conflict",
          fmt::format("more than the {} workers there are", workers_));
    }
    if (runtime.restart.backoff_initial > runtime.restart.backoff_max) {
      add("runtime.restart.backoff_initial", "conflict", "longer than `backoff_max`");
    }
    // `warn` may be anywhere: a hang that ends before it is not logged as one.
    if (runtime.heartbeat.suspect > runtime.heartbeat.abort) {
      add("runtime.heartbeat.abort", "conflict", "shorter than `suspect`");
    }
    if (!runtime.control_socket.empty()) check_control_path(runtime.control_socket);
  }

  // The start makes the last directory of its path, and no other.
  void check_control_path(const std::string& path) {
    constexpr const char* kKey = "runtime.control_socket";
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && !S_ISSOCK(status.st_mode)) {
      return add(kKey, "not_a_socket", "something that is not a socket stands at " + path);
    }
    const std::filesystem::path directory = std::filesystem::path(path).parent_path();
    for (const auto& needed : {directory, directory.parent_path()}) {
      const bool exists = ::stat(needed.c_str(), &status) == 0;
      if (exists && S_ISDIR(status.st_mode)) return;
      if (exists) return add(kKey, "not_a_directory", needed.string() + " is not a directory");
    }
    add(kKey, "missing_directory", "there is no directory " + directory.parent_path().string());
  }

  void check_identity() {
    const IdentityResult result =
        resolve_identity(settings_.runtime, environment_.uid, environment_.gid);
    if (!result.reason.empty()) add(result.key, result.reason, result.message);
  }

  void check_listeners() {
    std::vector<PlanListener> seen;
    if (settings_.listeners.empty()) add("listeners", "empty_value", "at least one is needed");
    for (std::size_t i = 0; i < settings_.listeners.size(); ++i) {
      const std::string key = fmt::format("listeners[{}]", i);
      const PlanListener listener = parse_address(settings_.listeners[i].address).listener;
      const auto same = std::find_if(seen.begin(), seen.end(), [&](const PlanListener& other) {
        return same_socket(other, listener) ||
               (other.kind == AddressKind::kUnix && listener.kind == AddressKind::kUnix &&
                is_same_path(other.path, listener.path));
      });
      if (same != seen.end()) {
        add(key + ".address", "duplicate_listener",
            fmt::format("`{}` listens there already", same->configured));
      }
      seen.push_back(listener);
      check_mode(key, listener, settings_.listeners[i]);
      check_proxy_protocol(key, listener, settings_.listeners[i].proxy_protocol);
      if (listener.kind == AddressKind::kUnix) {
        check_socket_path(key + ".address", listener.path);
        if (is_same_path(listener.path, settings_.runtime.control_socket)) {
          add(key + ".address", "conflict", "`runtime.control_socket` listens there");
        }
      }
    }
  }

  void check_mode(const std::string& key, const PlanListener& listener,
                  const ListenerSettings& configured) {
    if (configured.mode && listener.kind != AddressKind::kUnix) {
      add(key + ".mode", "conflict", "only a Unix socket has a mode");
    }
  }

  // A list that leaves nobody to connect is a slip.
  void check_proxy_protocol(const std::string& key, const PlanListener& listener,
                            const std::vector<std::string>& from) {
    const auto named = std::count(from.begin(), from.end(), "unix");
    const bool is_unix = listener.kind == AddressKind::kUnix;
    if (is_unix && !from.empty() && named == 0) {
      add(key + ".proxy_protocol", "conflict", "whoever connects there is `unix`", "[unix]");
    }
    if (listener.kind == AddressKind::kTcp && named > 0) {
      add(key + ".proxy_protocol", "conflict", "whoever connects there has an address, not `unix`");
    }
  }

  void check_socket_path(const std::string& key, const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
      if (!S_ISSOCK(status.st_mode)) {
        add(key, "not_a_socket", "something that is not a socket stands at " + path);
      }
      return;
    }
    const std::string directory = std::filesystem::path(path).parent_path().string();
    if (::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
      add(key, "missing_directory", "there is no directory " + directory);
    }
  }

  bool is_served(std::string_view host) const {
    return std::any_of(settings_.hosts.begin(), settings_.hosts.end(),
                       [host](const std::string& pattern) { return host_matches(pattern, host); });
  }

  void check_hosts() {
    if (!settings_.hosts.empty() && !settings_.local_hosts.empty()) {
      add("hosts", "conflict", "--host adds a name to the rule that `hosts` replaces; use one");
    }
    if (settings_.canonical_host.empty()) return;
    if (settings_.hosts.empty()) {
      add("canonical_host", "conflict", "needs `hosts`, the names that lead to it");
    } else if (!is_served(settings_.canonical_host)) {
      add("canonical_host", "host_not_served", "not one of `hosts`");
    }
  }

  void check_route(std::size_t index) {
    const RouteSettings& route = settings_.routes[index];
    const std::string key = fmt::format("routes[{}]", index);
    const bool wildcard = route.host.starts_with("*.");
    if (is_sound("hosts") && !route.host.empty() && !settings_.hosts.empty() && !wildcard &&
        !is_served(route.host)) {
      add(key + ".host", "host_not_served", "not one of `hosts`, so the route is never reached");
    }
    check_cors(key + ".cors", route.cors);
    check_auth(key + ".auth", route.auth);
    if (const auto fault = is_sound("routes") ? check_fallback(settings_, index) : std::nullopt) {
      add(key + ".fallback", fault->reason, fault->message, fault->suggestion);
    }
    if (const auto* files = std::get_if<StaticSettings>(&route.handler)) {
      check_root(key + ".static.root", files->root);
      if (files->readme && !files->listing) {
        add(key + ".static.readme", "conflict",
            "needs `listing: true`: it is shown below a listing");
      }
      check_static_methods(key + ".methods", route.methods);
    }
    if (const auto* answer = std::get_if<RespondSettings>(&route.handler)) {
      // RFC 9110 15.3.5, 15.3.6, 15.4.5: these statuses have no content.
      const bool bodyless = answer->status == 204 || answer->status == 205 || answer->status == 304;
      if (bodyless && !answer->body.empty()) {
        add(key + ".respond.body", "conflict", fmt::format("{} has no body", answer->status));
      }
    }
    if (const auto* redirect = std::get_if<RedirectSettings>(&route.handler)) {
      check_redirect(key + ".redirect.to", *redirect);
    }
  }

  static bool names_any(const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), "*") != names.end();
  }

  void check_cors(const std::string& key, const CorsSettings& cors) {
    if (cors.origins.empty()) {
      if (loaded_.provenance.find(key) != nullptr) {
        add(key + ".origins", "missing_key", "`origins` is required");
      }
      return;
    }
    if (names_any(cors.origins) && cors.origins.size() > 1) {
      add(key + ".origins", "conflict", "`*` is every origin and stands alone");
    }
    // Fetch, "CORS protocol and credentials": `*` would be taken for the character.
    if (cors.credentials && (names_any(cors.origins) || names_any(cors.headers))) {
      add(key + ".credentials", "conflict", "not with `*`: name the origins and headers");
    }
  }

  void check_auth(const std::string& key, const std::string& name) {
    if (name.empty()) return;
    std::vector<std::string_view> names;
    for (const AuthSettings& entry : settings_.auth) names.push_back(entry.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    add(key, "unknown_auth", "there is no entry of that name in `auth`",
        std::string(nearest_name(name, names).value_or("")));
  }

  void check_static_methods(const std::string& key, const MethodSet& methods) {
    const bool reads =
        std::all_of(methods.names.begin(), methods.names.end(),
                    [](std::string_view name) { return name == "GET" || name == "HEAD"; });
    if (methods.any || !reads) {
      add(key, "method_not_taken", "static files take GET and HEAD only", "[GET, HEAD]");
    }
  }

  void check_redirect(const std::string& key, const RedirectSettings& redirect) {
    if (!is_sound("hosts") || !redirects_to_request_host(redirect.to)) return;
    const auto& hosts = settings_.hosts;
    if (hosts.empty() || std::find(hosts.begin(), hosts.end(), "*") != hosts.end()) {
      add(key, "open_redirect", "{host} leads anywhere unless `hosts` names the hosts served");
    }
  }

  void check_root(const std::string& key, const std::string& root) {
    const UniqueFd directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) return check_entry(key, root, directory.get());
    const int error = errno;
    if (error == ENOENT) return add(key, "missing_root", "there is no directory " + root);
    if (error == ENOTDIR) return add(key, "not_a_directory", root + " is not a directory");
    add(key, "unreadable_root", fmt::format("{}: {}", root, std::strerror(error)));
  }

  // Root reads everything, whoever the workers are. Where an access list decides, they will tell.
  void check_entry(const std::string& key, const std::string& root, int directory) {
    const auto identity =
        resolve_identity(settings_.runtime, environment_.uid, environment_.gid).identity;
    struct stat info {};
    if (!identity || identity->uid == 0 || ::fstat(directory, &info) != 0) return;
    if (::fgetxattr(directory, "system.posix_acl_access", nullptr, 0) >= 0) return;
    const auto& groups = identity->groups;
    const bool in_group = info.st_gid == identity->gid ||
                          std::find(groups.begin(), groups.end(), info.st_gid) != groups.end();
    const mode_t bits = info.st_uid == identity->uid ? info.st_mode >> 6
                        : in_group                   ? info.st_mode >> 3
                                                     : info.st_mode;
    constexpr mode_t kReadAndEnter = 05;
    if ((bits & kReadAndEnter) == kReadAndEnter) return;
    add(key, "unreadable_root",
        fmt::format("{} may not be read by `{}`, as whom workers run", root, identity->user));
  }

  static bool overlap(const MethodSet& a, const MethodSet& b) {
    if (a.any || b.any) return true;
    return std::find_first_of(a.names.begin(), a.names.end(), b.names.begin(), b.names.end()) !=
           a.names.end();
  }

  // Same host and path, and a method both would take.
  void check_overlaps() {
    const auto& routes = settings_.routes;
    for (std::size_t i = 1; i < routes.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool same = routes[i].host == routes[j].host && routes[i].path == routes[j].path &&
                          routes[i].exact == routes[j].exact;
        if (!same || !overlap(routes[i].methods, routes[j].methods)) continue;
        if (!is_sound(fmt::format("routes[{}]", j))) continue;
        add(fmt::format("routes[{}]", i), "duplicate_route",
            fmt::format("routes[{}] has the same host, path and methods", j));
        break;
      }
    }
  }

  const Loaded& loaded_;
  const Settings& settings_;
  const CheckEnvironment& environment_;
  std::uint32_t workers_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> validate(const Loaded& loaded, const CheckEnvironment& environment,
                              std::uint32_t workers) {
  return Validator(loaded, environment, workers).run();
}

}  // namespace servery
