// The password files that a configuration names, as texts: read and checked by the check child,
// carried in its plan, sealed into a memfd by the supervisor, read back by the workers, which
// cannot open the files. So workers hold what was checked, also those that are started later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/credentials/htpasswd.h"
#include "config/load.h"
#include "config/plan.h"
#include "config/settings.h"

namespace servery {

struct PasswordFile {
  std::string path;  // absolute
  std::string text;  // its USER:HASH lines alone
};
using PasswordFiles = std::vector<PasswordFile>;

// Each file once. What is wrong in one, with its line, or in whom the entries name, goes into
// `problems`. Blocks.
PasswordFiles read_password_files(const Loaded& loaded, std::vector<Problem>& problems);

// One text for Plan::password_files and back.
std::string encode_password_files(const PasswordFiles& files);
Result<PasswordFiles> decode_password_files(std::string_view text);

// Those of an entry: its file's, then its own.
std::vector<HtpasswdUser> users_of(const AuthSettings& entry, const PasswordFiles& files);

}  // namespace servery
