// Inputs for configuration tests, without the noise.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "config/inputs.h"

namespace servery {

inline Inputs file_inputs(std::string text) {
  Inputs inputs;
  inputs.file_path = "/etc/servery/site.yaml";
  inputs.file_text = std::move(text);
  inputs.working_directory = "/work/dir";
  inputs.default_control_socket = "/run/servery/control.sock";
  return inputs;
}

inline Inputs quick_inputs() {
  Inputs inputs;
  inputs.working_directory = "/work/dir";
  inputs.default_control_socket = "/run/servery/control.sock";
  return inputs;
}

inline Inputs with_flag(Inputs inputs, std::string key, std::string value,
                        std::string name = "--set") {
  inputs.flags.push_back(Overlay{std::move(name), std::move(key), std::move(value)});
  return inputs;
}

inline Inputs with_variable(Inputs inputs, std::string name, std::string key, std::string value) {
  inputs.environment.push_back(Overlay{std::move(name), std::move(key), std::move(value)});
  return inputs;
}

// "LINE:COLUMN KEY REASON", the parts that machines rely on.
inline std::vector<std::string> brief(const std::vector<Problem>& problems) {
  std::vector<std::string> out;
  for (const Problem& problem : problems) {
    out.push_back(fmt::format("{}:{} {} {}", problem.line, problem.column,
                              problem.key.empty() ? "-" : problem.key, problem.reason));
  }
  return out;
}

}  // namespace servery
