#include "config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/base/text.h"
#include "config/document.h"
#include "config/key_path.h"
#include "config/schema.h"
#include "config/syntax.h"
#include "config/value.h"

namespace servery {
namespace {

constexpr Duration kContainerStopTimeout{8'000};

// What is being applied: its origin, and where its relative paths start.
struct Layer {
  Origin origin;
  std::string base;
};

class Loader {
 public:
  explicit Loader(const Inputs& inputs) : inputs_(inputs) {}

  Loaded load() {
    apply_defaults();
    if (!inputs_.quick()) apply_file();
    for (const Overlay& overlay : inputs_.environment) {
      apply_overlay(overlay, Origin::Layer::kEnvironment);
    }
    if (inputs_.quick()) {
      for (const Overlay& overlay : inputs_.route_flags) {
        apply_overlay(overlay, Origin::Layer::kFlag);
      }
    }
    for (const Overlay& overlay : inputs_.flags) apply_overlay(overlay, Origin::Layer::kFlag);
    apply_local_hosts();
    finish_routes();
    finish_auth();
    finish_listeners();
    return std::move(loaded_);
  }

 private:
  Settings& settings() { return loaded_.settings; }

  void add(Problem problem) {
    if (loaded_.problems.size() < kMaxProblems) loaded_.problems.push_back(std::move(problem));
  }

  // A problem at `position` of the current layer.
  void add(Position position, std::string key, std::string reason, std::string message,
           std::string suggestion = {}) {
    Problem problem;
    problem.file = layer_.origin.name;
    if (layer_.origin.layer == Origin::Layer::kFile) {
      problem.line = position.line;
      problem.column = position.column;
    }
    problem.key = std::move(key);
    problem.reason = std::move(reason);
    problem.message = std::move(message);
    problem.suggestion = std::move(suggestion);
    add(std::move(problem));
  }

  void remember(std::string key, Position position) {
    Origin origin = layer_.origin;
    if (origin.layer == Origin::Layer::kFile) {
      origin.line = position.line;
      origin.column = position.column;
    }
    loaded_.provenance.set(std::move(key), std::move(origin));
  }

  // Built-in values that depend on the inputs, and the profile's.
  void apply_defaults() {
    if (inputs_.container) settings().runtime.stop_timeout = kContainerStopTimeout;
    layer_.origin = {Origin::Layer::kProfile, "local", 0, 0};
    settings().listeners = {{"127.0.0.1:8000", std::nullopt}};
    remember("listeners", {});
    remember("listeners[0].address", {});
    if (!inputs_.quick()) return;
    layer_.origin = {};
    RouteSettings& route = settings().routes.emplace_back();
    auto& files = std::get<StaticSettings>(route.handler);
    files.root = inputs_.working_directory;
    files.listing = true;
    for (const char* key : {"routes[0]", "routes[0].path", "routes[0].static",
                            "routes[0].static.root", "routes[0].static.listing"}) {
      remember(key, {});
    }
    routes_with_handler_.insert(0);
  }

  void apply_file() {
    layer_.origin = {Origin::Layer::kFile, inputs_.file_path, 0, 0};
    layer_.base = std::filesystem::path(inputs_.file_path).parent_path().string();
    Document document = parse_document(inputs_.file_text);
    const std::size_t first = loaded_.problems.size();
    add_document_problems(document);
    if (document.empty) {
      if (document.problems.empty())
        add({1, 1}, "", "empty_file", "the file holds no configuration");
    } else if (document.root.kind == Node::Kind::kMap) {
      apply_entries("", document.root);
      if (loaded_.provenance.find("schema") == nullptr) {
        add({1, 1}, "schema", "missing_key", "`schema: 1` is required");
      }
    } else if (document.problems.empty()) {
      add({1, 1}, "", "wrong_type", "a configuration is a section of `key: value` lines");
    }
    std::stable_sort(loaded_.problems.begin() + static_cast<std::ptrdiff_t>(first),
                     loaded_.problems.end(), [](const Problem& a, const Problem& b) {
                       return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                     });
  }

  void add_document_problems(const Document& document) {
    for (const Problem& problem : document.problems) {
      add({problem.line, problem.column}, problem.key, problem.reason, problem.message,
          problem.suggestion);
    }
  }

  void apply_overlay(const Overlay& overlay, Origin::Layer layer) {
    layer_.origin = {layer, overlay.name, 0, 0};
    layer_.base = inputs_.working_directory;
    if (!is_key_path(overlay.key)) return add_unknown_key({}, overlay.key);
    if (!index_exists(overlay.key)) return;
    Document document = parse_document(overlay.value);
    for (Problem& problem : document.problems) problem.key = overlay.key;
    add_document_problems(document);
    if (!document.problems.empty()) return;
    apply_node(overlay.key, document.root);
  }

  // Overlays change items that are there; only a whole list adds some.
  bool index_exists(const std::string& key) {
    const auto item = first_item(key);
    if (!item) return true;
    const bool listeners = item->list == "listeners";
    if (!listeners && item->list != "routes") {
      add_unknown_key({}, key);
      return false;
    }
    const std::size_t size = listeners ? settings().listeners.size() : settings().routes.size();
    if (item->index < size) return true;
    add({}, key, "no_such_item",
        fmt::format("`{}` has {} items, counted from 0", item->list, size));
    return false;
  }

  Target target_for(std::string_view key) {
    Target target{settings()};
    if (const auto item = named_item(key)) target.auth = &auth_entry(item->name);
    if (const auto item = first_item(key)) {
      if (item->list == "listeners") target.listener = &settings().listeners[item->index];
      if (item->list == "routes") target.route = &settings().routes[item->index];
    }
    return target;
  }

  // Made where it is named first.
  AuthSettings& auth_entry(std::string_view name) {
    auto& entries = settings().auth;
    const auto found =
        std::find_if(entries.begin(), entries.end(),
                     [name](const AuthSettings& entry) { return entry.name == name; });
    if (found != entries.end()) return *found;
    AuthSettings& made = entries.emplace_back();
    made.name = name;
    return made;
  }

  void add_unknown_key(Position position, std::string_view key) {
    const auto [section, name] = split_last(key);
    const auto names = names_in_section(schema_key(section));
    std::string near(nearest_name(name, names).value_or(""));
    if (near == name) near.clear();  // known, but not at this place
    add(position, std::string(key.substr(0, kMaxShownKey)), "unknown_key", "unknown key", near);
  }

  void apply_node(const std::string& key, const Node& node) {
    const std::string pattern = schema_key(key);
    const Row* row = find_row(pattern);
    if (row == nullptr && !is_section(pattern)) return add_unknown_key(node.position, key);
    if (!take_handler(key, node.position)) return;
    if (row == nullptr) return apply_section(key, node);
    if (row->type == Type::kList) return apply_list(*row, key, node);
    remember(key, node.position);
    if (row->type == Type::kErrorPages) remember_entries(key, node);
    Target target = target_for(key);
    for (ValueFault& fault : read_value(*row, node, target, layer_.base)) {
      add(fault.position, key, std::move(fault.reason), std::move(fault.message),
          std::move(fault.suggestion));
    }
  }

  // Of a map whose entries may turn out wrong later, each by itself.
  void remember_entries(const std::string& key, const Node& node) {
    loaded_.provenance.erase_below(key);
    for (const Entry& entry : node.entries) remember(key + "." + entry.key, entry.value.position);
  }

  void apply_section(const std::string& key, const Node& node) {
    remember(key, node.position);
    if (const auto item = named_item(key)) auth_entry(item->name);
    if (node.kind == Node::Kind::kMap) return apply_entries(key, node);
    if (takes_item_names(key)) {
      return add(node.position, key, "wrong_type", "a section of `NAME: {...}` is expected");
    }
    const auto names = names_in_section(schema_key(key));
    add(node.position, key, "wrong_type",
        fmt::format("a section is expected, with {}", fmt::join(names, ", ")));
  }

  static bool takes_item_names(std::string_view key) {
    return names_in_section(key) == std::vector<std::string_view>{"*"};
  }

  void apply_entries(const std::string& key, const Node& node) {
    const bool named = takes_item_names(key);
    for (const Entry& entry : node.entries) {
      const std::string child = key.empty() ? entry.key : key + "." + entry.key;
      if (named && !is_item_name(entry.key)) {
        add(entry.position, child.substr(0, kMaxShownKey), "invalid_value",
            "a name is of a-z, 0-9, - and _, and begins with a letter");
        continue;
      }
      const std::string pattern = schema_key(child);
      const bool known =
          (named || is_name(entry.key)) && (find_row(pattern) != nullptr || is_section(pattern));
      if (known) {
        apply_node(child, entry.value);
      } else {
        add_unknown_key(entry.position, child);
      }
    }
  }

  void apply_list(const Row& row, const std::string& key, const Node& node) {
    if (node.kind != Node::Kind::kSequence) {
      return add(node.position, key, "wrong_type", "a list is expected");
    }
    if (static_cast<double>(node.items.size()) > row.maximum) {
      return add(node.position, key, "too_long", fmt::format("at most {:.0f} items", row.maximum));
    }
    loaded_.provenance.erase_below(key);
    remember(key, node.position);
    if (key == "routes") {
      routes_with_handler_.clear();
      settings().routes.assign(node.items.size(), {});
    } else {
      settings().listeners.assign(node.items.size(), {});
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      apply_section(fmt::format("{}[{}]", key, i), node.items[i]);
    }
  }

  // Below a handler's section: makes it the route's handler. False if the route has another one.
  bool take_handler(std::string_view key, Position position) {
    const auto item = first_item(key);
    if (!item || item->list != "routes") return true;
    const std::string_view name = item->rest.substr(0, item->rest.find('.'));
    if (std::find(std::begin(kHandlerNames), std::end(kHandlerNames), name) ==
        std::end(kHandlerNames)) {
      return true;
    }
    RouteSettings& route = settings().routes[item->index];
    if (routes_with_handler_.insert(item->index).second) select_handler(route, name);
    if (handler_name(route) == name) return true;
    add(position, std::string(key), "several_handlers",
        fmt::format("the route has `{}` already; a route does one thing", handler_name(route)));
    return false;
  }

  void apply_local_hosts() {
    layer_.origin = {Origin::Layer::kFlag, "--host", 0, 0};
    for (const std::string& name : inputs_.local_hosts) {
      const std::string host = to_lower(name);
      if (const SyntaxCheck fault = check_host(host)) {
        add({}, "", "invalid_value", fmt::format("{}: {}", host, fault->message),
            fault->suggestion);
      } else {
        settings().local_hosts.push_back(host);
      }
    }
  }

  // What stands there is no section at all, and said so: nothing in it is missing beside that.
  bool is_no_section(std::string_view key) const {
    return std::any_of(loaded_.problems.begin(), loaded_.problems.end(),
                       [key](const Problem& problem) {
                         return problem.key == key && problem.reason == "wrong_type";
                       });
  }

  void add_missing(const std::string& section, std::string_view name) {
    const std::string key = fmt::format("{}.{}", section, name);
    if (loaded_.provenance.find(key) != nullptr || is_no_section(section)) return;
    add(problem_at(loaded_.provenance, key, "missing_key", fmt::format("`{}` is required", name)));
  }

  void finish_routes() {
    for (std::size_t i = 0; i < settings().routes.size(); ++i) {
      const std::string key = fmt::format("routes[{}]", i);
      RouteSettings& route = settings().routes[i];
      add_missing(key, "path");
      if (is_no_section(key)) continue;
      if (!routes_with_handler_.contains(i)) {
        add(problem_at(loaded_.provenance, key, "missing_handler",
                       "the route needs one of static, respond, redirect"));
        continue;
      }
      const std::string_view handler = handler_name(route);
      if (handler == "static") add_missing(key + ".static", "root");
      if (handler == "redirect") add_missing(key + ".redirect", "to");
      finish_methods(route);
    }
  }

  static void finish_methods(RouteSettings& route) {
    MethodSet& methods = route.methods;
    if (methods.any) return;
    if (methods.names.empty()) {
      methods.any = std::holds_alternative<RedirectSettings>(route.handler);
      if (!methods.any) methods.names = {"GET", "HEAD"};
      return;
    }
    const auto has = [&methods](std::string_view name) {
      return std::find(methods.names.begin(), methods.names.end(), name) != methods.names.end();
    };
    if (has("GET") && !has("HEAD")) methods.names.emplace_back("HEAD");
  }

  // What is not set follows what is; never is `write` anyone's by default.
  void finish_auth() {
    using Kind = Grantees::Kind;
    const auto follow = [](Grantees& grant, const Grantees& other) {
      if (grant.kind == Kind::kDefault) grant = other;
    };
    for (AuthSettings& entry : settings().auth) {
      follow(entry.read, {Kind::kUsers, {}});
      follow(entry.list, entry.read);
      const bool is_open = entry.read.kind == Kind::kAnyone;
      follow(entry.write, is_open ? Grantees{Kind::kUsers, {}} : entry.read);
      for (Grantees* grant : {&entry.create, &entry.overwrite, &entry.move, &entry.remove}) {
        follow(*grant, entry.write);
      }
      if (entry.users.empty()) add_missing(fmt::format("auth.{}.basic", entry.name), "file");
    }
  }

  void finish_listeners() {
    for (std::size_t i = 0; i < settings().listeners.size(); ++i) {
      add_missing(fmt::format("listeners[{}]", i), "address");
    }
  }

  static constexpr std::size_t kMaxShownKey = 120;

  const Inputs& inputs_;
  Loaded loaded_;
  Layer layer_;
  std::set<std::size_t> routes_with_handler_;
};

}  // namespace

std::string describe_origin(const Origin& origin) {
  switch (origin.layer) {
    case Origin::Layer::kDefault:
      return "default";
    case Origin::Layer::kProfile:
      return "profile " + origin.name;
    case Origin::Layer::kFile:
      return fmt::format("{}:{}", std::filesystem::path(origin.name).filename().string(),
                         origin.line);
    case Origin::Layer::kEnvironment:
      return "environment " + origin.name;
    case Origin::Layer::kFlag:
      return (origin.name.starts_with("--") ? "flag " : "argument ") + origin.name;
  }
  return {};
}

void Provenance::erase_below(std::string_view key) {
  for (const char mark : {'.', '['}) {
    const std::string prefix = std::string(key) + mark;
    auto entry = origins_.lower_bound(prefix);
    while (entry != origins_.end() && entry->first.starts_with(prefix)) {
      entry = origins_.erase(entry);
    }
  }
}

const Origin* Provenance::find(std::string_view key) const {
  const auto entry = origins_.find(key);
  return entry == origins_.end() ? nullptr : &entry->second;
}

const Origin& Provenance::nearest(std::string_view key) const {
  static const Origin kDefault;
  while (!key.empty()) {
    if (const Origin* origin = find(key)) return *origin;
    const std::size_t mark = key.find_last_of(".[");
    key = mark == std::string_view::npos ? std::string_view() : key.substr(0, mark);
  }
  return kDefault;
}

Loaded load(const Inputs& inputs) { return Loader(inputs).load(); }

Problem problem_at(const Provenance& provenance, std::string key, std::string reason,
                   std::string message, std::string suggestion) {
  const Origin& origin = provenance.nearest(key);
  Problem problem;
  // Defaults and profiles are no place an author can go to; then the key alone says where.
  if (origin.layer != Origin::Layer::kDefault && origin.layer != Origin::Layer::kProfile) {
    problem.file = origin.name;
  }
  problem.line = origin.line;
  problem.column = origin.column;
  problem.key = std::move(key);
  problem.reason = std::move(reason);
  problem.message = std::move(message);
  problem.suggestion = std::move(suggestion);
  return problem;
}

}  // namespace servery
