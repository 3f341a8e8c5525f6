#include "worker/features/static/static_lookup.h"

#include <utility>

#include "common/base/clock.h"
#include "worker/files/content.h"

namespace servery::features {
namespace {

using files::Access;
using files::Resource;
using Kind = StaticLookup::Kind;

constexpr int kReadAttempts = 3;  // for a file that is being written to

void fail_with(StaticLookup& out, const Resource& resource) {
  out.kind = resource.kind == Resource::Kind::kWouldBlock ? Kind::kWouldBlock : Kind::kFailed;
  out.error = resource.error;
}

// True if `out` is decided; false: another attempt.
bool take_file(StaticLookup& out, Resource resource, WallTime looked_at, std::uint64_t max_content,
               Access access) {
  out.kind = Kind::kFile;
  out.identity = resource.identity;
  out.settled = resource.identity.is_settled(looked_at);
  out.fd = std::move(resource.fd);
  if (out.identity.size > max_content) return true;
  switch (files::read_content(out.fd.get(), out.identity, access, out.content)) {
    case files::ReadOutcome::kComplete:
      out.has_content = true;
      out.fd.reset();
      return true;
    case files::ReadOutcome::kChanged:
      out.settled = false;
      return false;
    case files::ReadOutcome::kWouldBlock:
      out.kind = Kind::kWouldBlock;
      return true;
    case files::ReadOutcome::kFailed:
      out.kind = Kind::kFailed;
      return true;
  }
  return true;
}

}  // namespace

void look_up_name(StaticLookup& out, const files::Root& root, const files::RelativePath& path,
                  std::uint64_t max_content, Access access) {
  out.opened = path.view();
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    const WallTime looked_at = SystemClock().wall();
    Resource resource = files::acquire_resource(root, path.c_str(), access);
    switch (resource.kind) {
      case Resource::Kind::kMissing:
        out.kind = Kind::kMissing;
        return;
      case Resource::Kind::kDirectory:
        out.kind = Kind::kDirectory;
        return;
      case Resource::Kind::kFailed:
      case Resource::Kind::kWouldBlock:
        fail_with(out, resource);
        return;
      case Resource::Kind::kFile:
        if (take_file(out, std::move(resource), looked_at, max_content, access)) return;
        break;
    }
  }
}

StaticLookup look_up_static(const files::Root& root, files::RelativePath path,
                            const std::vector<std::string>& index, std::uint64_t max_content,
                            Access access) {
  StaticLookup out;
  if (!path.names_directory()) {
    look_up_name(out, root, path, max_content, access);
    return out;
  }
  const std::size_t directory = path.size();
  for (const std::string& name : index) {
    if (!path.enter(name)) continue;
    look_up_name(out, root, path, max_content, access);
    if (out.kind != Kind::kMissing && out.kind != Kind::kDirectory) return out;
    out.missing.emplace_back(path.view());
    path.truncate(directory);
  }
  out.kind = Kind::kMissing;
  return out;
}

}  // namespace servery::features
