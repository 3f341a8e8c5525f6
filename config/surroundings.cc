#include "config/surroundings.h"

#include <unistd.h>

#include <array>
#include <climits>

#include "config/control_path.h"
#include "config/key_path.h"

namespace servery {

Surroundings::Surroundings(const char* const* variables) {
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view entry(*variables);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    variables_.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  std::array<char, PATH_MAX> buffer{};
  if (::getcwd(buffer.data(), buffer.size()) != nullptr) directory_ = buffer.data();
}

std::string Surroundings::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::string() : found->second;
}

std::vector<Overlay> Surroundings::overlays() const {
  std::vector<Overlay> out;
  for (const auto& [name, value] : variables_) {
    if (auto key = key_from_variable(name)) out.push_back({name, std::move(*key), value});
  }
  return out;
}

std::string Surroundings::default_socket() const {
  return default_control_socket({::geteuid(), variable("XDG_RUNTIME_DIR"), variable("TMPDIR")});
}

}  // namespace servery
