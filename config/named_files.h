// The files that a configuration names and workers cannot open: read and checked by the check
// child, carried in its plan, sealed into a memfd by the supervisor, read back by the workers. So
// workers hold what was checked, also those that are started later. Plain values; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace servery {

struct NamedFile {
  std::string path;  // absolute
  std::string text;  // any bytes
};

struct NamedFiles {
  std::vector<NamedFile> passwords;    // their USER:HASH lines alone
  std::vector<NamedFile> error_pages;  // as they are
};

// nullptr: not there.
const NamedFile* find_file(const std::vector<NamedFile>& files, std::string_view path);

// One text for Plan::named_files and back, of at most kMaxNamedFilesBytes.
std::string encode_named_files(const NamedFiles& files);
Result<NamedFiles> decode_named_files(std::string_view text);

}  // namespace servery
