// The effective settings as a flat list of `key: value` in the order of the schema: what `servery
// config` prints, what two settings are compared by, what the fingerprint is taken of. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/plan.h"
#include "config/schema.h"
#include "config/settings.h"

namespace servery {

struct EffectiveValue {
  std::string key;  // with indices
  std::string text;
  const Row* row = nullptr;
};

// Optional keys that are not set, and keys of other handlers, are left out.
std::vector<EffectiveValue> effective_values(const Settings& settings);

// Keys whose values differ, with the tier a reload needs for each.
std::vector<PlanChange> diff_settings(const Settings& old_settings, const Settings& new_settings);
// The highest tier of the changes; kNone without any.
ReloadTier tier_of(const std::vector<PlanChange>& changes);

}  // namespace servery
