// From a path in a static route to the file that answers it: index names, the small file's content.
// One straight function, the same on the loop (never waiting) and on the pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "worker/files/hot_cache.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"
#include "worker/http/negotiate.h"

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
  // Of a sidecar (see sidecar.h): its coding, the plain file's path, and what the choice stands on.
  http::Coding coding = http::Coding::kIdentity;
  std::string plain;
  std::vector<files::SeenFile> unchanged;
  std::string content_digest;  // where the route's tags are made of it
  bool may_keep = true;        // false where it stands on something that no proof can show
  std::string content;
  bool has_content = false;

  // The path whose name tells the type.
  const std::string& named() const { return coding == http::Coding::kIdentity ? opened : plain; }
};

// One name, which is not an index search.
void look_up_name(StaticLookup& out, const files::Root& root, const files::RelativePath& path,
                  std::uint64_t max_content, files::Access access);

// Reads files up to `max_content` bytes.
StaticLookup look_up_static(const files::Root& root, files::RelativePath path,
                            const std::vector<std::string>& index, std::uint64_t max_content,
                            files::Access access);

}  // namespace servery::features
