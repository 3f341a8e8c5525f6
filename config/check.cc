#include "config/check.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "config/address.h"
#include "config/cpu_count.h"
#include "config/effective.h"
#include "config/error_pages.h"
#include "config/fingerprint.h"
#include "config/identity.h"
#include "config/load.h"
#include "config/password_files.h"
#include "config/validate.h"

namespace servery {
namespace {

constexpr std::uint32_t kDefaultSocketMode = 0660;

std::vector<std::string> roots_of(const Settings& settings) {
  std::vector<std::string> roots;
  for (const RouteSettings& route : settings.routes) {
    const auto* files = std::get_if<StaticSettings>(&route.handler);
    if (files == nullptr) continue;
    if (std::find(roots.begin(), roots.end(), files->root) == roots.end()) {
      roots.push_back(files->root);
    }
  }
  return roots;
}

// The place `key` that names one of `files`.
void add_file(std::vector<PlanFile>& out, const std::vector<NamedFile>& files, std::string key,
              const std::string& path) {
  const NamedFile* file = find_file(files, path);
  if (file == nullptr) return;
  Fingerprint fingerprint;
  fingerprint.add(file->text);
  out.push_back({std::move(key), path, fingerprint.text()});
}

std::vector<PlanFile> files_of(const Settings& settings, const NamedFiles& named) {
  std::vector<PlanFile> out;
  for (const AuthSettings& entry : settings.auth) {
    add_file(out, named.passwords, fmt::format("auth.{}.basic.file", entry.name), entry.file);
  }
  const auto add_pages = [&](const std::string& key, const ErrorPageFiles& pages) {
    for (const auto& [status, path] : pages) {
      add_file(out, named.error_pages, key + "." + status, path);
    }
  };
  add_pages("error_pages", settings.error_pages);
  for (std::size_t i = 0; i < settings.routes.size(); ++i) {
    add_pages(fmt::format("routes[{}].error_pages", i), settings.routes[i].error_pages);
  }
  return out;
}

// The settings, the files they name, and which directories the roots are now.
std::string fingerprint_of(const Settings& settings, const Plan& plan) {
  Fingerprint fingerprint;
  for (const EffectiveValue& value : effective_values(settings)) {
    fingerprint.add(value.key);
    fingerprint.add(value.text);
  }
  for (const std::string& host : settings.local_hosts) fingerprint.add(host);
  for (const AuthSettings& entry : settings.auth) {
    for (const std::string& line : entry.users) fingerprint.add(line);
  }
  fingerprint.add(plan.named_files);
  for (const std::string& root : plan.roots) {
    struct stat status {};
    if (::stat(root.c_str(), &status) != 0) continue;
    fingerprint.add(fmt::format("{} {}", status.st_dev, status.st_ino));
  }
  return fingerprint.text();
}

std::vector<PlanListener> listeners_of(const Settings& settings) {
  std::vector<PlanListener> out;
  for (const ListenerSettings& configured : settings.listeners) {
    PlanListener listener = parse_address(configured.address).listener;
    if (listener.kind == AddressKind::kUnix) {
      listener.mode = configured.mode.value_or(kDefaultSocketMode);
    }
    out.push_back(std::move(listener));
  }
  return out;
}

void fill(Plan& plan, const Inputs& inputs, const Loaded& loaded,
          const CheckEnvironment& environment) {
  const Settings& settings = loaded.settings;
  plan.listeners = listeners_of(settings);
  plan.default_port_scan =
      loaded.provenance.nearest("listeners[0].address").layer == Origin::Layer::kProfile;
  plan.identity = resolve_identity(settings.runtime, environment.uid, environment.gid).identity;
  plan.control_socket_default = settings.runtime.control_socket.empty();
  plan.control_socket =
      plan.control_socket_default ? inputs.default_control_socket : settings.runtime.control_socket;
  plan.connections = settings.limits.connections;
  plan.log_level = settings.logging.level;
  plan.roots = roots_of(settings);
  plan.fingerprint = fingerprint_of(settings, plan);
}

}  // namespace

CheckEnvironment CheckEnvironment::current() { return {::geteuid(), ::getegid(), {}}; }

Plan check_inputs(const Inputs& inputs, const Inputs* old, const CheckEnvironment& environment) {
  const Loaded loaded = load(inputs);
  Plan plan;
  plan.profile = "local";
  plan.config_path = inputs.file_path;
  plan.runtime = loaded.settings.runtime;
  plan.workers = loaded.settings.runtime.workers;
  if (plan.workers == 0) plan.workers = usable_cpus(affinity_cpus(), environment.system_root);
  plan.problems = loaded.problems;
  for (Problem& problem : validate(loaded, environment, plan.workers)) {
    plan.problems.push_back(std::move(problem));
  }
  const NamedFiles named{read_password_files(loaded, plan.problems),
                         read_error_pages(loaded, plan.problems)};
  if (!plan.ok()) return plan;
  plan.named_files = encode_named_files(named);
  plan.files = files_of(loaded.settings, named);
  fill(plan, inputs, loaded, environment);
  if (old != nullptr) {
    plan.changes = diff_settings(load(*old).settings, loaded.settings);
    plan.tier = tier_of(plan.changes);
  }
  return plan;
}

}  // namespace servery
