// The edits of `servery passwd`: a password file is replaced as a whole, so that whoever reads it
// has the old one or the new one. Mode and owner stay; a new file is its owner's alone (0600).
// Blocks; command role only.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"

namespace servery {

// `path` may be a link: what it leads to is replaced. Runs at the same time wait for each other.
Status set_user(const std::string& path, std::string_view user, std::string_view hash);
// kNotFound: there is no such user, or no file.
Status remove_user(const std::string& path, std::string_view user);

}  // namespace servery
