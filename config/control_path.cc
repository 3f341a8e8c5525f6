#include "config/control_path.h"

#include <fmt/format.h>

namespace servery {

std::string default_control_socket(const ControlPlace& place) {
  if (place.uid == 0) return "/run/servery/control.sock";
  if (place.xdg_runtime_dir.starts_with('/')) {
    return place.xdg_runtime_dir + "/servery/control.sock";
  }
  const std::string base = place.temporary_dir.starts_with('/') ? place.temporary_dir : "/tmp";
  return fmt::format("{}/servery-{}/control.sock", base, place.uid);
}

}  // namespace servery
