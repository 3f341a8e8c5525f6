// The command line: argv and environment -> Command, with flags generated from the schema. The only
// includer of CLI11. Runs once, in the command role, before anything else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/credentials/password_hash.h"
#include "config/inputs.h"
#include "config/settings.h"

namespace servery {

enum class CommandKind {
  kServe,
  kCheck,
  kConfig,
  kPlan,
  kReload,
  kStatus,
  kStop,
  kPasswd,
  kVersion,
  kHelp,
};

// A password that was made for a user of `--auth USER`: to be shown once, and kept nowhere.
struct MadePassword {
  std::string user;
  std::string password;
};

struct PasswdRequest {
  std::string user;
  std::string file;  // absolute
  HashKind kind = HashKind::kArgon2id;
  bool remove = false;
};

struct Command {
  CommandKind kind = CommandKind::kHelp;
  Inputs inputs;               // serve, check, config; file_text is still empty: read_config_file()
  std::string file;            // plan, reload: -c FILE, absolute; empty: the running file
  std::string control_socket;  // plan, reload, status, stop
  bool control_given = false;  // by --control; else control_socket is the default place
  bool json = false;
  bool wait_drained = false;        // reload
  std::optional<Duration> timeout;  // stop
  PasswdRequest passwd;
  std::vector<MadePassword> made_passwords;  // serve
  std::string text;                          // kHelp: what to print
};

// An Error is a usage error: one line naming the place ("serve: unknown flag --x") and, where there
// is one, the nearest name; exit code 2.
Result<Command> parse_command_line(int argc, const char* const* argv, const char* const* variables);

}  // namespace servery
