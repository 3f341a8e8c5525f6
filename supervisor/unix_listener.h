// One Unix listening socket in the file system, with the rules that keep two servers from taking it
// from each other: a lock file beside it is held as long as it is owned; what is there already is
// probed (live: kExists; not a socket: kInvalid, untouched; dead: replaced); it is bound under a
// temporary name and renamed into place only when it listens; only our own inode is ever unlinked.
// Used for listeners and for the control socket. Blocking system calls only.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>

#include "common/base/result.h"
#include "common/base/unique_fd.h"

namespace servery {

enum class UnixSocketState { kMissing, kDead, kLive, kNotSocket };
// Looks and connects; changes nothing.
Result<UnixSocketState> probe_unix_socket(const std::string& path);
// Live: kExists; not a socket: kInvalid. Likewise changes nothing.
Status refuse_taken(const std::string& path);

class UnixListener {
 public:
  UnixListener() = default;
  // Takes the lock and binds a stream socket under a temporary name. `mode`: permission bits.
  static Result<UnixListener> bind(const std::string& path, std::uint32_t mode);
  UnixListener(UnixListener&& other) noexcept { *this = std::move(other); }
  UnixListener& operator=(UnixListener&& other) noexcept;
  ~UnixListener() { reset(); }

  // listen(), then rename to the path: nobody can find it before it answers.
  Status publish(int backlog);
  Status set_mode(std::uint32_t mode);
  // Removes the name (its own inode only) and the lock: nobody new arrives, the path is free for
  // the next owner, the socket stays.
  void unlink();
  void reset();  // unlink() and close

  // Its path still leads to it: nobody removed or replaced it on disk.
  bool is_in_place() const;

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  explicit operator bool() const { return static_cast<bool>(fd_); }

 private:
  Status take_lock();

  std::string path_;
  std::string bound_name_;  // where it is now: the temporary name, the path, or empty
  dev_t device_ = 0;
  ino_t inode_ = 0;
  UniqueFd fd_;
  UniqueFd lock_;
};

}  // namespace servery
