#include "worker/files/content.h"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace servery::files {
namespace {

ssize_t read_some(int fd, char* into, std::size_t size, off_t offset, Access access) {
  if (access == Access::kBlocking) return ::pread(fd, into, size, offset);
  const iovec part{into, size};
  return ::preadv2(fd, &part, 1, offset, RWF_NOWAIT);
}

}  // namespace

ReadOutcome read_content(int fd, const FileIdentity& identity, Access access, std::string& into) {
  into.resize(identity.size);
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t n =
        read_some(fd, into.data() + done, into.size() - done, static_cast<off_t>(done), access);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0) {
      return ReadOutcome::kChanged;  // truncated
    } else if (errno == EINTR) {
      continue;
    } else if (access == Access::kInline) {
      return ReadOutcome::kWouldBlock;  // EAGAIN, or EOPNOTSUPP; a real error shows on the pool
    } else {
      return ReadOutcome::kFailed;
    }
  }
  struct stat after {};
  if (::fstat(fd, &after) != 0) return ReadOutcome::kFailed;
  return FileIdentity::of(after) == identity ? ReadOutcome::kComplete : ReadOutcome::kChanged;
}

}  // namespace servery::files
