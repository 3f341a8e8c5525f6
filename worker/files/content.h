// Reads a small file whole. Any thread; on the loop with Access::kInline only.
#pragma once

#include <string>

#include "worker/files/file_identity.h"
#include "worker/files/resource.h"

namespace servery::files {

enum class ReadOutcome : std::uint8_t {
  kComplete,    // all bytes, and the file's identity was the same before and after
  kChanged,     // written to meanwhile: the bytes may be of two versions
  kWouldBlock,  // Access::kInline only: not in the page cache, or the file system cannot tell
  kFailed,
};

// `identity` is the state before: its size is what is read. `into` keeps its capacity.
ReadOutcome read_content(int fd, const FileIdentity& identity, Access access, std::string& into);

}  // namespace servery::files
