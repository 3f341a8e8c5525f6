// `servery passwd USER [FILE]`: asks for a password and writes its hash into a password file. Runs
// in the command role.
#pragma once

#include "config/cli.h"

namespace servery {

// The exit code.
int run_passwd_command(const Command& command);

}  // namespace servery
