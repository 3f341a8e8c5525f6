// Inputs -> Settings, through the schema: defaults < profile < file < environment < flags. Every
// problem is collected, with its position, never only the first. Pure: reads no file, no clock, no
// environment, so the check child and every worker get the same settings from the same inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/inputs.h"
#include "config/plan.h"
#include "config/settings.h"

namespace servery {

// Where a value came from.
struct Origin {
  enum class Layer { kDefault, kProfile, kFile, kEnvironment, kFlag };
  Layer layer = Layer::kDefault;
  std::string name;        // file path, variable or flag; empty for a default
  std::uint32_t line = 0;  // kFile only, 1-based
  std::uint32_t column = 0;
};

// "default", "profile local", "site.yaml:3", "environment SERVERY__X", "flag --workers".
std::string describe_origin(const Origin& origin);

// Key with indices ("routes[0].static.root") -> origin. Sections and list items have entries too,
// so that a problem about something missing points at what it is missing from.
class Provenance {
 public:
  void set(std::string key, Origin origin) { origins_[std::move(key)] = std::move(origin); }
  // Forgets everything below `key` ("routes": "routes[0]", "routes[0].path", ...).
  void erase_below(std::string_view key);
  const Origin* find(std::string_view key) const;
  // Of the key, else of the nearest section around it, else a default.
  const Origin& nearest(std::string_view key) const;

 private:
  std::map<std::string, Origin, std::less<>> origins_;
};

struct Loaded {
  Settings settings;
  Provenance provenance;
  std::vector<Problem> problems;

  bool ok() const { return problems.empty(); }
};

Loaded load(const Inputs& inputs);

// A problem at the origin of `key`.
Problem problem_at(const Provenance& provenance, std::string key, std::string reason,
                   std::string message, std::string suggestion = {});

}  // namespace servery
