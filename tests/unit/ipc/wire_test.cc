#include "ipc/wire.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace servery::ipc {
namespace {

UniqueFd some_fd() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

template <typename M>
Packet packet_of(M message) {
  auto packet = encode(ToWorker(std::move(message)));
  EXPECT_TRUE(packet) << packet.error().text;
  return std::move(*packet);
}

template <typename M>
M round_trip(M message) {
  auto decoded = decode_to_worker(packet_of(std::move(message)));
  EXPECT_TRUE(decoded) << decoded.error().text;
  return std::move(std::get<M>(*decoded));
}

WorkerHello hello() {
  WorkerHello m;
  m.slot = 7;
  m.generation = 0x0102030405060708;
  m.descriptors = 10'100;
  m.identity = {true, 65534, 33, {1, 2, 3}};
  return m;
}

Listen listen_with(std::size_t count) {
  Listen m;
  for (std::size_t i = 0; i < count; ++i) {
    m.sockets.push_back(
        {"l-1-0", "127.0.0.1:8000", static_cast<std::uint32_t>(i), i % 2 == 1, false, some_fd()});
  }
  return m;
}

TEST(Wire, KeepsEveryMemberOfHello) {
  const WorkerHello m = round_trip(hello());
  EXPECT_EQ(m.protocol_min, kProtocolMin);
  EXPECT_EQ(m.protocol_max, kProtocolMax);
  EXPECT_EQ(m.slot, 7u);
  EXPECT_EQ(m.generation, 0x0102030405060708u);
  EXPECT_EQ(m.descriptors, 10'100u);
  EXPECT_TRUE(m.identity.drop);
  EXPECT_EQ(m.identity.uid, 65534u);
  EXPECT_EQ(m.identity.gid, 33u);
  EXPECT_EQ(m.identity.groups, (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST(Wire, DescriptorsArriveWithTheirNames) {
  Configure m;
  m.page_index = 3;
  m.inputs = some_fd();
  m.files = some_fd();
  m.page = some_fd();
  m.rate_table = some_fd();
  const int inputs = m.inputs.get();
  const int files = m.files.get();
  const int page = m.page.get();
  const int table = m.rate_table.get();
  const Configure got = round_trip(std::move(m));
  EXPECT_EQ(got.page_index, 3u);
  EXPECT_EQ(got.inputs.get(), inputs);
  EXPECT_EQ(got.files.get(), files);
  EXPECT_EQ(got.page.get(), page);
  EXPECT_EQ(got.rate_table.get(), table);
}

TEST(Wire, TakesAFullListOfSockets) {
  const Listen got = round_trip(listen_with(kMaxMessageFds));
  ASSERT_EQ(got.sockets.size(), kMaxMessageFds);
  EXPECT_EQ(got.sockets[63].slot, 63u);
  EXPECT_EQ(got.sockets[63].configured, "127.0.0.1:8000");
  EXPECT_TRUE(got.sockets[63].shared);
  EXPECT_FALSE(got.sockets[62].shared);
}

TEST(Wire, RefusesToEncodeOverABound) {
  EXPECT_FALSE(encode(ToWorker(listen_with(kMaxMessageFds + 1))));
  EXPECT_FALSE(encode(ToWorker(Leave{std::string(kMaxName + 1, 'x'), 0, 0})));
  EXPECT_FALSE(encode(ToSupervisor(Failed{std::string(kMaxText + 1, 'x')})));
  Configure without_descriptors;
  EXPECT_FALSE(encode(ToWorker(std::move(without_descriptors))));
}

TEST(Wire, InsistsOnEveryByte) {
  Packet longer = packet_of(hello());
  longer.bytes += '\0';
  EXPECT_FALSE(decode_to_worker(std::move(longer)));
  const std::string whole = packet_of(hello()).bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_to_worker({whole.substr(0, size), {}})) << size;
  }
}

TEST(Wire, InsistsOnEveryDescriptor) {
  Packet fewer = packet_of(listen_with(2));
  fewer.fds.pop_back();
  EXPECT_FALSE(decode_to_worker(std::move(fewer)));
  Packet more = packet_of(listen_with(2));
  more.fds.push_back(some_fd());
  EXPECT_FALSE(decode_to_worker(std::move(more)));
  Packet unasked = packet_of(Serve{});
  unasked.fds.push_back(some_fd());
  EXPECT_FALSE(decode_to_worker(std::move(unasked)));
}

TEST(Wire, OnlyConnectionsMayLoseTheirDescriptors) {
  Packet sockets = packet_of(listen_with(2));
  sockets.fds.pop_back();
  sockets.lost_fds = true;
  EXPECT_EQ(decode_to_worker(std::move(sockets)).error().code, Errc::kExhausted);
  TakeOver message;
  message.connections.push_back({1, "l", "p", 1, 0, some_fd()});
  Packet connections = packet_of(std::move(message));
  connections.fds.clear();
  connections.lost_fds = true;
  const auto decoded = decode_to_worker(std::move(connections));
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(std::get<TakeOver>(*decoded).connections.at(0).fd);
}

TEST(Wire, ClosesTheDescriptorsOfABrokenPacket) {
  Packet packet = packet_of(listen_with(1));
  const int fd = packet.fds[0].get();
  packet.bytes += 'x';
  EXPECT_FALSE(decode_to_worker(std::move(packet)));
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

TEST(Wire, RefusesUnknownTypesAndValues) {
  EXPECT_FALSE(decode_to_worker({std::string(1, static_cast<char>(200)), {}}));
  EXPECT_FALSE(decode_to_worker({"", {}}));
  Packet drain = packet_of(Drain{5, true});
  ASSERT_EQ(drain.bytes.back(), '\1');
  drain.bytes.back() = '\2';  // a bool is 0 or 1
  EXPECT_FALSE(decode_to_worker(std::move(drain)));
}

TEST(Wire, RefusesACountOverItsBoundBeforeReadingOn) {
  Packet packet = packet_of(HandOverDone{{1}, {}});
  packet.bytes[1] = '\xff';
  packet.bytes[2] = '\xff';
  EXPECT_FALSE(decode_to_worker(std::move(packet)));
}

TEST(Wire, DirectionsDoNotMix) {
  auto packet = encode(ToSupervisor(Failed{"no such root"}));
  ASSERT_TRUE(packet);
  const std::string bytes = packet->bytes;
  auto decoded = decode_to_supervisor({bytes, {}});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<Failed>(*decoded).text, "no such root");
  EXPECT_FALSE(decode_to_worker({bytes, {}}));
}

TEST(Wire, ProtocolIsTheHighestBothSpeak) {
  EXPECT_EQ(common_protocol(kProtocolMin, kProtocolMax), kProtocolMax);
  EXPECT_EQ(common_protocol(0, kProtocolMax + 5), kProtocolMax);
  EXPECT_EQ(common_protocol(kProtocolMax + 1, kProtocolMax + 5), 0u);
  EXPECT_EQ(common_protocol(0, kProtocolMin - 1), 0u);
}

}  // namespace
}  // namespace servery::ipc
