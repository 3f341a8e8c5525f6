// The default place of the control socket (product.md, "Control socket"): a function of the user
// and the environment alone, shared by `serve` and by the commands that look for a server. Creates
// nothing.
#pragma once

#include <sys/types.h>

#include <string>

namespace servery {

struct ControlPlace {
  uid_t uid = 0;
  std::string xdg_runtime_dir;  // $XDG_RUNTIME_DIR; ignored unless absolute
  std::string temporary_dir;    // $TMPDIR; "/tmp" unless absolute
};

// root: /run/servery/control.sock; else $XDG_RUNTIME_DIR/servery/control.sock; else
// TMP/servery-UID/control.sock.
std::string default_control_socket(const ControlPlace& place);

}  // namespace servery
