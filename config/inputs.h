// Everything the settings of a generation are made from: the file's text and the overlays of the
// start. Built by the command line, kept by the supervisor, handed as one JSON text to the check
// child and the workers, which load it through config/load: there is no second format for settings.
// Plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "config/plan.h"

namespace servery {

// A value from outside the file. `value` is YAML; `name` is where it came from, for people.
struct Overlay {
  std::string name;  // "--workers", "SERVERY__RUNTIME__WORKERS"
  std::string key;   // "runtime.workers", "routes[0].static.root"
  std::string value;

  friend bool operator==(const Overlay&, const Overlay&) = default;
};

struct Inputs {
  std::string file_path;  // absolute; empty: quick mode, one static route on the working directory
  std::string file_text;
  std::vector<Overlay> environment;  // in this order, before the flags
  std::vector<Overlay> flags;        // in the order of the command line
  // DIR, --root, ...: of the one route of quick mode; a file that a reload brings in has its own.
  std::vector<Overlay> route_flags;
  std::vector<std::string> local_hosts;  // --host
  std::string working_directory;         // absolute; relative paths in flags start here
  std::string default_control_socket;    // used when the key is not set
  bool container = false;                // $container is set: shorter stop_timeout

  bool quick() const { return file_path.empty(); }

  // One JSON text, whatever bytes the members hold.
  std::string encode() const;
  static Result<Inputs> decode(std::string_view text);

  friend bool operator==(const Inputs&, const Inputs&) = default;
};

inline constexpr std::size_t kMaxConfigBytes = 1024 * 1024;
inline constexpr std::size_t kMaxInputsBytes = 16 * 1024 * 1024;

// (Re-)reads file_path into file_text, at most kMaxConfigBytes; nothing to do in quick mode. A
// problem leaves the old text in place.
std::optional<Problem> read_config_file(Inputs& inputs);

}  // namespace servery
