// One end of the SOCK_SEQPACKET pair between the supervisor and a worker: whole messages with their
// descriptors, non-blocking, close-on-exec. What the peer does not take at once waits in a bounded
// queue; a peer that lets it fill is treated as gone. No event loop inside: the owner watches fd()
// and calls receive() and flush(). Not copied; one owner.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "common/base/result.h"
#include "common/base/unique_fd.h"
#include "ipc/wire.h"

namespace servery::ipc {

class Channel {
 public:
  // Two connected ends, both CLOEXEC and non-blocking.
  static Result<std::pair<UniqueFd, UniqueFd>> create_pair();

  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }

  // Sends or queues. kBusy: the queue is full (the message is dropped); kClosed: the peer is gone.
  Status send(Packet packet);
  // Sends what is queued, as far as the peer takes it.
  Status flush();
  // The owner must call flush() when fd() becomes writable.
  bool wants_write() const { return !queue_.empty(); }

  // The next message; nullopt: none now. kClosed: end of file. kInvalid, kTooLarge: a broken
  // packet; its descriptors are closed and the owner must end the channel.
  Result<std::optional<Packet>> receive();

 private:
  static constexpr std::size_t kMaxQueued = 256;

  // True: sent. False: the peer takes nothing now.
  Result<bool> try_send(const Packet& packet);

  UniqueFd fd_;
  std::deque<Packet> queue_;
};

}  // namespace servery::ipc
