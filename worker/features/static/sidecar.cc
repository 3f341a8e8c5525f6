#include "worker/features/static/sidecar.h"

#include <sys/uio.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "worker/body/coder.h"

namespace servery::features {
namespace {

using Kind = StaticLookup::Kind;

std::string_view suffix_of(http::Coding coding) {
  switch (coding) {
    case http::Coding::kZstd:
      return ".zst";
    case http::Coding::kBr:
      return ".br";
    case http::Coding::kGzip:
      return ".gz";
    case http::Coding::kIdentity:
      break;
  }
  return {};
}

// Sets kWouldBlock where the bytes are not at hand.
bool is_small_zstd(StaticLookup& sidecar, files::Access access) {
  if (sidecar.has_content) return body::has_small_zstd_window(sidecar.content);
  char head[body::kZstdHeadSize];
  const iovec part{head, sizeof head};
  const int flags = access == files::Access::kInline ? RWF_NOWAIT : 0;
  ssize_t n = 0;
  do {
    n = ::preadv2(sidecar.fd.get(), &part, 1, 0, flags);
  } while (n < 0 && errno == EINTR);
  if (n < 0 && access == files::Access::kInline) sidecar.kind = Kind::kWouldBlock;
  return n > 0 && body::has_small_zstd_window({head, static_cast<std::size_t>(n)});
}

bool is_usable(StaticLookup& sidecar, http::Coding coding, const files::FileIdentity& plain,
               files::Access access) {
  if (sidecar.identity.mtime_ns < plain.mtime_ns) return false;
  if (sidecar.identity.size == 0 && plain.size > 0) return false;
  return coding != http::Coding::kZstd || is_small_zstd(sidecar, access);
}

void take_place_of(StaticLookup& found, StaticLookup sidecar, http::Coding coding) {
  sidecar.coding = coding;
  sidecar.missing = std::move(found.missing);
  sidecar.unchanged = std::move(found.unchanged);
  sidecar.unchanged.push_back({found.opened, found.identity});
  sidecar.may_keep = found.may_keep && found.settled;
  sidecar.plain = std::move(found.opened);
  found = std::move(sidecar);
}

}  // namespace

void choose_sidecar(StaticLookup& found, const files::Root& root,
                    const http::CodingPreference& wanted, std::uint64_t max_content,
                    files::Access access) {
  for (const http::Coding coding : wanted) {
    files::RelativePath path;
    std::string name = found.opened;
    name += suffix_of(coding);
    // What the file's own name was checked for holds for this one.
    if (!path.assign(name, files::HiddenNames::kAllow)) continue;
    StaticLookup sidecar;
    look_up_name(sidecar, root, path, max_content, access);
    const bool usable =
        sidecar.kind == Kind::kFile && is_usable(sidecar, coding, found.identity, access);
    if (sidecar.kind == Kind::kWouldBlock) {
      found.kind = Kind::kWouldBlock;
      return;
    }
    if (usable) {
      take_place_of(found, std::move(sidecar), coding);
      return;
    }
    if (sidecar.kind == Kind::kMissing) {
      found.missing.push_back(std::move(name));
    } else if (sidecar.kind == Kind::kFile) {
      found.unchanged.push_back({std::move(name), sidecar.identity});
    } else {
      found.may_keep = false;
    }
  }
}

}  // namespace servery::features
