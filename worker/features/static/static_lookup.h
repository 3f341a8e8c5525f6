// From a path in a static route to the file that answers it: index names, the small file's content.
// One straight function, the same on the loop (never waiting) and on the pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::features {

struct StaticLookup {
  enum class Kind : std::uint8_t {
    kMissing,
    kDirectory,   // asked for without its slash
    kFile,        // with `content`, or `fd` for what is large or being written to
    kFailed,      // `error`
    kWouldBlock,  // Access::kInline only
  };
  Kind kind = Kind::kMissing;
  Errc error = Errc::kIo;
  UniqueFd fd;
  files::FileIdentity identity;
  bool settled = false;              // a later write cannot hide; see FileIdentity::is_settled
  std::string opened;                // the path below the root that was opened
  std::vector<std::string> missing;  // index names tried before it
  std::string content;
  bool has_content = false;
};

// Reads files up to `max_content` bytes.
StaticLookup look_up_static(const files::Root& root, files::RelativePath path,
                            const std::vector<std::string>& index, std::uint64_t max_content,
                            files::Access access);

}  // namespace servery::features
