#include "config/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "config/value_text.h"

namespace servery {
namespace {

// A section that nobody set: without origins it would be refused.
constexpr std::string_view kCorsRows = "routes[].cors.";

class Collector {
 public:
  explicit Collector(const Settings& settings) : settings_(settings) {}

  std::vector<EffectiveValue> collect() {
    for (const Row& row : schema()) {
      if (row.type == Type::kList) {
        add_list(row);
      } else if (row.key.starts_with(kAuthRows)) {
        if (!std::exchange(has_auth_, true)) add_auth();
      } else if (row.key.find("[]") == std::string_view::npos) {
        Target target{settings_};
        add(std::string(row.key), row, target);
      }
    }
    return std::move(values_);
  }

 private:
  void add_list(const Row& list) {
    const bool routes = list.key == "routes";
    const std::size_t size = routes ? settings_.routes.size() : settings_.listeners.size();
    if (size == 0) values_.push_back({std::string(list.key), "[]", &list});
    for (std::size_t i = 0; i < size; ++i) {
      Target target{settings_};
      if (routes) target.route = &settings_.routes[i];
      if (!routes) target.listener = &settings_.listeners[i];
      add_item(list.key, i, target);
    }
  }

  void add_item(std::string_view list, std::size_t index, Target& target) {
    const std::string prefix = fmt::format("{}[].", list);
    for (const Row& row : schema()) {
      if (!row.key.starts_with(prefix) || !applies(row, target)) continue;
      if (row.key.starts_with(kCorsRows) && target.route->cors.origins.empty()) continue;
      add(fmt::format("{}[{}].{}", list, index, row.key.substr(prefix.size())), row, target);
    }
  }

  // Entry by entry, at the place of the first row.
  void add_auth() {
    for (AuthSettings& entry : settings_.auth) {
      Target target{settings_, nullptr, nullptr, &entry};
      for (const Row& row : schema()) {
        if (!row.key.starts_with(kAuthRows)) continue;
        add(fmt::format("auth.{}.{}", entry.name, row.key.substr(kAuthRows.size())), row, target);
      }
    }
  }

  void add(std::string key, const Row& row, Target& target) {
    std::string text = write_value(row, target);
    if (!text.empty()) values_.push_back({std::move(key), std::move(text), &row});
  }

  static constexpr std::string_view kAuthRows = "auth.*.";

  Settings settings_;  // a copy: accessors hand out places to write to
  std::vector<EffectiveValue> values_;
  bool has_auth_ = false;
};

}  // namespace

std::vector<EffectiveValue> effective_values(const Settings& settings) {
  return Collector(settings).collect();
}

std::vector<PlanChange> diff_settings(const Settings& old_settings, const Settings& new_settings) {
  std::map<std::string, std::string> old_values;
  const auto before = effective_values(old_settings);
  for (const EffectiveValue& value : before) old_values[value.key] = value.text;

  std::vector<PlanChange> changes;
  for (const EffectiveValue& value : effective_values(new_settings)) {
    const auto old = old_values.find(value.key);
    const std::string old_text = old == old_values.end() ? std::string() : old->second;
    if (old_text != value.text) {
      changes.push_back({value.key, old_text, value.text, value.row->tier});
    }
    if (old != old_values.end()) old_values.erase(old);
  }
  for (const EffectiveValue& value : before) {
    if (old_values.contains(value.key)) {
      changes.push_back({value.key, value.text, "", value.row->tier});
    }
  }
  return changes;
}

ReloadTier tier_of(const std::vector<PlanChange>& changes) {
  ReloadTier tier = ReloadTier::kNone;
  for (const PlanChange& change : changes) tier = std::max(tier, change.tier);
  return tier;
}

}  // namespace servery
