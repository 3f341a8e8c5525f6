// The password files that a configuration names: read and checked by the check child, see
// config/named_files.h for how they come to the workers.
#pragma once

#include <vector>

#include "common/credentials/htpasswd.h"
#include "config/load.h"
#include "config/named_files.h"
#include "config/plan.h"
#include "config/settings.h"

namespace servery {

// Each file once, its USER:HASH lines alone. What is wrong in one, with its line, or in whom the
// entries name, goes into `problems`. Blocks.
std::vector<NamedFile> read_password_files(const Loaded& loaded, std::vector<Problem>& problems);

// Those of an entry: its file's, then its own.
std::vector<HtpasswdUser> users_of(const AuthSettings& entry, const std::vector<NamedFile>& files);

}  // namespace servery
