// Both decoders of ipc packets. First byte: how many descriptors came along; the rest: the packet.
// What decodes must encode to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ipc/wire.h"

namespace {

servery::ipc::Packet packet_from(const std::uint8_t* data, std::size_t size) {
  servery::ipc::Packet packet;
  const std::size_t fds = data[0] % (servery::ipc::kMaxMessageFds + 2);
  packet.bytes.assign(reinterpret_cast<const char*>(data + 1), size - 1);
  // Numbers no open descriptor has, so that closing them is harmless.
  for (std::size_t i = 0; i < fds; ++i)
    packet.fds.emplace_back(static_cast<int>(1'000'000'000 + i));
  return packet;
}

template <typename Decoded>
void check_same(Decoded decoded, const std::string& bytes) {
  if (!decoded) return;
  auto again = servery::ipc::encode(std::move(*decoded));
  if (!again || again->bytes != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  check_same(servery::ipc::decode_to_worker(packet_from(data, size)), bytes);
  check_same(servery::ipc::decode_to_supervisor(packet_from(data, size)), bytes);
  return 0;
}
