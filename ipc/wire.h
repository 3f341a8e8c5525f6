// Bounded encoding of ipc messages. Decoding takes hostile bytes: every length and count is
// checked before anything is built, every byte and descriptor must be used, and a packet that
// breaks a rule is an error that ends its channel. Descriptors that were lost on the way are no
// fault of the peer's where they are connections, which their giver still has: they are empty then.
// Sans-IO; both roles. Layout: docs/ipc.md.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.h"
#include "ipc/message.h"

namespace servery::ipc {

// One SEQPACKET message as it is sent or was received. Owns its descriptors.
struct Packet {
  std::string bytes;
  std::vector<UniqueFd> fds;
  // This process was out of descriptors: `fds` are only the first of those that were sent.
  bool lost_fds = false;
};

// Takes the message's descriptors. kTooLarge when it breaks a bound of ipc/message.h: the peer
// would refuse it.
Result<Packet> encode(ToWorker message);
Result<Packet> encode(ToSupervisor message);

Result<ToWorker> decode_to_worker(Packet packet);
Result<ToSupervisor> decode_to_supervisor(Packet packet);

// The highest protocol version both ranges have; 0: none.
std::uint32_t common_protocol(std::uint32_t min, std::uint32_t max);

}  // namespace servery::ipc
