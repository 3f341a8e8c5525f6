// The only path resolver: a root and a relative path to a missing thing, a directory or an open
// file, never outside the root. Never waits for a FIFO or touches a device. Roots are owned by the
// worker; the calls work on any thread, on the loop with Access::kInline only.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "worker/files/file_identity.h"

namespace servery::files {

// Whether a call may wait for the disk.
enum class Access {
  kInline,    // never: what is not cached by the kernel is kWouldBlock
  kBlocking,  // on the pool
};

enum class SymlinkPolicy {
  kInside,  // followed while the result is beneath the root
  kNone,    // refused in every segment
  kAll,     // followed anywhere
};

struct Root {
  // What this kernel and file system offer; without it the pool walks by segments.
  struct Offers {
    bool openat2 = false;
    bool cached = false;  // RESOLVE_CACHED: nothing can be opened inline without it
  };
  UniqueFd fd;
  SymlinkPolicy symlinks = SymlinkPolicy::kInside;
  Offers offers;
  std::string name;   // as configured
  std::string place;  // where that led when the root was opened, without links
};

// Probes and proves that the directory can be read by this process: an error is for the operator.
Result<Root> open_root(UniqueFd directory, SymlinkPolicy symlinks, const std::string& name);

struct Resource {
  enum class Kind : std::uint8_t {
    kMissing,     // nothing there, or nothing that may be seen: outside, a link that is refused
    kDirectory,   // `fd` is empty
    kFile,        // regular; `fd` is open for reading, `identity` is the fd's
    kFailed,      // `error` says why (kForbidden, kExhausted, kIo); also FIFOs and devices
    kWouldBlock,  // Access::kInline only: ask again on the pool
  };
  Kind kind = Kind::kMissing;
  UniqueFd fd;
  FileIdentity identity;
  Errc error = Errc::kIo;
};

// `path` is a RelativePath's text.
Resource acquire_resource(const Root& root, const char* path, Access access);

// A directory open for reading its names: kDirectory with `fd` and `identity`. Anything else there
// is kMissing.
Resource acquire_directory(const Root& root, const char* path, Access access);
// What `path` leads to, without opening it: kDirectory or kFile with `identity`, never with `fd`.
Resource look_at(const Root& root, const char* path, Access access);

// Whether `path` still leads to exactly that state of that file, by a contained open. Inline.
enum class Proof : std::uint8_t { kSame, kChanged, kWouldBlock };
Proof prove_file(const Root& root, const char* path, const FileIdentity& identity);
// Whether still nothing can be found there. Inline.
Proof prove_missing(const Root& root, const char* path);

}  // namespace servery::files
