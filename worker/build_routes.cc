#include "worker/build_routes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "common/base/cidr.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "config/fallback.h"
#include "config/password_files.h"
#include "worker/access/address_rule.h"
#include "worker/access/basic_auth.h"
#include "worker/features/archive/archive_handler.h"
#include "worker/features/listing/listing_handler.h"
#include "worker/features/redirect/redirect_handler.h"
#include "worker/features/respond/respond_handler.h"
#include "worker/http/cors.h"
#include "worker/http/policy_headers.h"

namespace servery {
namespace {

void drop_name(std::vector<http::ResponseField>& fields, const std::string& name) {
  std::erase_if(fields, [&](const http::ResponseField& field) { return field.name == name; });
}

void apply_rules(http::HeaderPolicy& policy, const HeaderRules& rules) {
  for (const std::string& text : rules.remove) {
    const std::string name = to_lower(text);
    drop_name(policy.set, name);
    drop_name(policy.add, name);
    policy.remove.push_back(name);
  }
  for (const auto& [text, value] : rules.set) {
    const std::string name = to_lower(text);
    drop_name(policy.set, name);
    drop_name(policy.add, name);
    policy.set.push_back({name, value});
  }
  for (const auto& [text, value] : rules.add) policy.add.push_back({to_lower(text), value});
}

Result<http::MethodSet> to_methods(const MethodSet& configured) {
  if (configured.any) return http::MethodSet::any();
  http::MethodSet methods;
  for (const std::string& name : configured.names) {
    const auto method = http::parse_method(name);
    if (!method) return fail(Errc::kInvalid, "unknown method " + name);
    methods.add(*method);
    if (*method == http::Method::kGet) methods.add(http::Method::kHead);  // RFC 9110 9.1
  }
  return methods;
}

files::SymlinkPolicy to_policy(Symlinks symlinks) {
  switch (symlinks) {
    case Symlinks::kInside:
      return files::SymlinkPolicy::kInside;
    case Symlinks::kNone:
      return files::SymlinkPolicy::kNone;
    case Symlinks::kAll:
      return files::SymlinkPolicy::kAll;
  }
  return files::SymlinkPolicy::kNone;
}

features::EtagKind to_etag(const std::string& name) {
  if (name == "mtime") return features::EtagKind::kMtime;
  return name == "content" ? features::EtagKind::kContent : features::EtagKind::kInode;
}

std::optional<http::CorsRules> to_cors(const CorsSettings& configured) {
  if (configured.origins.empty()) return std::nullopt;
  http::CorsRules rules;
  rules.origins = configured.origins;
  rules.allowed_headers = configured.headers;
  rules.exposed_headers = configured.expose;
  rules.credentials = configured.credentials;
  rules.private_network = configured.private_network;
  rules.max_age = std::chrono::duration_cast<std::chrono::seconds>(configured.max_age);
  return rules;
}

// This machine's names, for the local profile's host rule.
std::vector<std::string> local_names(const Settings& settings) {
  std::vector<std::string> names = settings.local_hosts;
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0') {
    names.push_back(to_lower(name.data()));
  }
  return names;
}

access::Grant to_grant(const Grantees& grantees) {
  switch (grantees.kind) {
    case Grantees::Kind::kAnyone:
      return {access::Grant::To::kAnyone, {}};
    case Grantees::Kind::kNamed:
      return {access::Grant::To::kNamed, grantees.names};
    case Grantees::Kind::kDefault:
    case Grantees::Kind::kUsers:
      break;
  }
  return {access::Grant::To::kUsers, {}};
}

Result<std::unique_ptr<routing::Stage>> make_address_rule(const RouteSettings& route) {
  AddressSet allow = SERVERY_TRY(AddressSet::parse(route.allow));
  AddressSet deny = SERVERY_TRY(AddressSet::parse(route.deny));
  return std::make_unique<access::AddressRule>(std::move(allow), std::move(deny));
}

using Realms = std::map<std::string, std::shared_ptr<const access::Realm>>;

Result<Realms> build_realms(const Settings& settings, const std::vector<NamedFile>& passwords) {
  Realms realms;
  for (const AuthSettings& entry : settings.auth) {
    // In the order of http::Right.
    const access::Grants grants = {to_grant(entry.read),   to_grant(entry.list),
                                   to_grant(entry.create), to_grant(entry.overwrite),
                                   to_grant(entry.remove), to_grant(entry.move)};
    realms[entry.name] = std::make_shared<const access::Realm>(
        SERVERY_TRY(access::Realm::create(entry.name, users_of(entry, passwords), grants)));
  }
  return realms;
}

// What stands at the door of a route with `auth`.
struct DoorKeeper {
  std::shared_ptr<const access::Realm> realm;
  std::shared_ptr<const access::AuthAnswers> answers;
  std::shared_ptr<const http::HeaderPolicy> names_policy;  // of listings; null: the route's
};

// Makes `headers` private where not anyone may read; where not anyone may list, those of listings.
DoorKeeper make_door(const AuthSettings& entry, std::shared_ptr<const access::Realm> realm,
                     http::HeaderPolicy& headers) {
  DoorKeeper door{std::move(realm), nullptr, nullptr};
  const http::RightSet anyone = door.realm->anonymous().rights;
  headers.restricted |= !anyone.has(http::Right::kRead);
  if (!headers.restricted && !anyone.has(http::Right::kList)) {
    auto names_policy = std::make_shared<http::HeaderPolicy>(headers);
    names_policy->restricted = true;
    door.names_policy = std::move(names_policy);
  }
  const std::string& shown = entry.realm.empty() ? entry.name : entry.realm;
  door.answers =
      std::make_shared<const access::AuthAnswers>(access::make_auth_answers(shown, &headers));
  return door;
}

// What those routes ask of a route's answers that fall back to it: a cache would give one of these
// for the address of one of those.
struct Inherited {
  bool varies_by_accept = false;  // their navigations get a page
  bool restricted = false;        // not anyone may read there
};

std::vector<Inherited> inherit(const Settings& settings, const Realms& realms) {
  std::vector<Inherited> inherited(settings.routes.size());
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    const RouteSettings& route = settings.routes[i];
    const auto* const fixed = std::get_if<StaticSettings>(&route.handler);
    const auto realm = realms.find(route.auth);
    const bool restricted =
        realm != realms.end() && !realm->second->anonymous().rights.has(http::Right::kRead);
    auto next = fallback_of(settings, i);
    for (std::size_t step = 0; next && step < kMaxFallbacks; ++step) {
      inherited[*next].varies_by_accept |= fixed != nullptr && fixed->spa;
      inherited[*next].restricted |= restricted;
      next = fallback_of(settings, *next);
    }
  }
  return inherited;
}

void apply_inherited(http::HeaderPolicy& headers, const Inherited& inherited) {
  if (inherited.varies_by_accept)
    headers.vary.append(headers.vary.empty() ? "" : ", ").append("accept");
  headers.restricted |= inherited.restricted;
}

// All but its stages and its handler.
Result<routing::Route> begin_route(const Settings& settings, std::size_t number,
                                   const ErrorPageContents& pages) {
  const RouteSettings& configured = settings.routes[number];
  routing::Route route;
  route.key.host = configured.host;
  route.key.path = configured.path;
  route.key.exact = configured.exact;
  route.key.methods = SERVERY_TRY(to_methods(configured.methods));
  route.headers = route_headers(settings, configured, pages);
  route.cors = to_cors(configured.cors);
  route.body_limit = settings.limits.body_bytes;
  if (const auto next = fallback_of(settings, number)) {
    route.fallback = std::make_shared<routing::FallbackRoute>(static_cast<std::uint32_t>(*next));
  }
  return route;
}

// Makes the handler of a route; one overload for each kind.
struct MakeHandler {
  const Settings& settings;
  const std::map<std::string, UniqueFd>& roots;
  const features::StaticServices& services;
  std::uint32_t route;
  const http::HeaderPolicy& headers;
  const DoorKeeper* door;                       // null: a route without `auth`
  std::shared_ptr<routing::Fallback> fallback;  // null: none
  files::Root::Offers& offers;

  using Made = Result<std::unique_ptr<routing::Handler>>;

  Made operator()(const StaticSettings& fixed) const {
    files::Root root = SERVERY_TRY(open_root(fixed));
    offers.openat2 = offers.openat2 && root.offers.openat2;
    offers.cached = offers.cached && root.offers.cached;
    if (!root.offers.cached) {  // every look-up goes to the pool
      log::warning(
          "openat2_unavailable",
          {{"root", fixed.root}, {"without", root.offers.openat2 ? "resolve_cached" : "openat2"}});
    }
    features::StaticOptions options{
        .representation = {.cache_control = fixed.cache_control,
                           .cache_rules = fixed.cache_rules,
                           .mime_types = fixed.mime_types,
                           .attachments = fixed.attachment,
                           .etag = to_etag(fixed.etag),
                           .has_variants = fixed.compress || fixed.precompressed},
        .route = route,
        .index = fixed.index,
        .hidden =
            fixed.hidden == Hidden::kDeny ? files::HiddenNames::kDeny : files::HiddenNames::kAllow,
        .clean_urls = fixed.clean_urls,
        .spa = fixed.spa,
        .max_cached_file = settings.cache.bytes == 0 ? 0 : settings.cache.max_file,
        .compress = fixed.compress,
        .precompressed = fixed.precompressed,
        .digests = fixed.digests,
        .fallback = fallback};
    if (fixed.listing) {
      options.listing = guarded(std::make_shared<listing::ListingHandler>(
          services.loop, services.pool, SERVERY_TRY(open_root(fixed)),
          listing::ListingOptions{.shows_hidden = fixed.hidden == Hidden::kAllow,
                                  .offers_archive = fixed.archive,
                                  .shows_readme = fixed.readme,
                                  .cache_control = fixed.cache_control,
                                  .fallback = fallback,
                                  .route = route,
                                  .coder = fixed.compress ? services.coder : nullptr}));
    }
    if (fixed.archive) {
      options.archive = guarded(std::make_shared<archive::ArchiveHandler>(
          services.loop, services.pool, SERVERY_TRY(open_root(fixed)),
          archive::ArchiveOptions{.shows_hidden = fixed.hidden == Hidden::kAllow,
                                  .cache_control = fixed.cache_control,
                                  .fallback = fallback}));
    }
    return std::make_unique<features::StaticHandler>(services, std::move(root), std::move(options));
  }

  std::shared_ptr<routing::DirectoryAnswer> guarded(
      std::shared_ptr<routing::DirectoryAnswer> answer) const {
    if (door == nullptr) return answer;
    return std::make_shared<access::GuardedDirectory>(std::move(answer), door->answers,
                                                      door->names_policy);
  }

  Result<files::Root> open_root(const StaticSettings& fixed) const {
    const auto found = roots.find(fixed.root);
    if (found == roots.end()) return fail(Errc::kInternal, "no descriptor for " + fixed.root);
    UniqueFd copy(::fcntl(found->second.get(), F_DUPFD_CLOEXEC, 0));
    if (!copy) return fail_errno("static root " + fixed.root, errno);
    return files::open_root(std::move(copy), to_policy(fixed.symlinks), fixed.root);
  }

  Made operator()(const RespondSettings& fixed) const {
    return std::make_unique<features::RespondHandler>(fixed.status, fixed.body, headers);
  }

  Made operator()(const RedirectSettings& fixed) const {
    return SERVERY_TRY(features::RedirectHandler::create(fixed.to, fixed.status));
  }
};

}  // namespace

http::HeaderPolicy server_headers(const Settings& settings, const ErrorPageContents& pages) {
  http::HeaderPolicy policy;
  policy.error_pages = pages.pages({}, settings.error_pages);
  http::add_security_defaults(policy, false);
  apply_rules(policy, settings.headers);
  return policy;
}

http::HeaderPolicy route_headers(const Settings& settings, const RouteSettings& route,
                                 const ErrorPageContents& pages) {
  http::HeaderPolicy policy;
  policy.error_pages = pages.pages(route.error_pages, settings.error_pages);
  http::add_security_defaults(policy, route.sandbox);
  if (const auto cors = to_cors(route.cors)) http::add_cors_defaults(policy, *cors);
  apply_rules(policy, settings.headers);
  apply_rules(policy, route.headers);
  return policy;
}

Result<BuiltRoutes> build_routes(const Settings& settings,
                                 const std::map<std::string, UniqueFd>& roots,
                                 const FileParts& files, const features::StaticServices& services) {
  const Realms realms = SERVERY_TRY(build_realms(settings, files.passwords));
  BuiltRoutes built;
  routing::PipelineParts& parts = built.parts;
  parts.headers = server_headers(settings, files.error_pages);
  parts.body_limit = settings.limits.body_bytes;
  parts.hosts.hosts = settings.hosts;
  parts.hosts.canonical_host = settings.canonical_host;
  parts.hosts.local_guard = settings.profile == Profile::kLocal && settings.hosts.empty();
  parts.hosts.local_names = local_names(settings);
  const std::vector<Inherited> inherited = inherit(settings, realms);
  for (const RouteSettings& configured : settings.routes) {
    const std::size_t number = parts.routes.size();
    routing::Route route = SERVERY_TRY(begin_route(settings, number, files.error_pages));
    apply_inherited(route.headers, inherited[number]);
    if (!configured.allow.empty() || !configured.deny.empty()) {
      route.stages.push_back(SERVERY_TRY(make_address_rule(configured)));
    }
    std::optional<DoorKeeper> door;
    for (const AuthSettings& entry : settings.auth) {
      if (entry.name != configured.auth) continue;
      door = make_door(entry, realms.at(entry.name), route.headers);
      route.stages.push_back(
          std::make_unique<access::BasicAuth>(*files.verifier, door->realm, door->answers));
    }
    if (!configured.auth.empty() && !door) {
      return fail(Errc::kInternal, "no entry of auth for " + configured.auth);
    }
    route.handler = SERVERY_TRY(std::visit(
        MakeHandler{settings, roots, services, static_cast<std::uint32_t>(number), route.headers,
                    door ? &*door : nullptr, route.fallback, built.offers},
        configured.handler));
    parts.routes.push_back(std::move(route));
  }
  return built;
}

}  // namespace servery
