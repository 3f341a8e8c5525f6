#include "ipc/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <variant>

#include "ipc/wire.h"

namespace servery::ipc {
namespace {

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    auto pair = Channel::create_pair();
    EXPECT_TRUE(pair);
    near_.emplace(std::move(pair->first));
    far_.emplace(std::move(pair->second));
  }

  Packet text(std::string bytes) { return {std::move(bytes), {}}; }
  std::string received(Channel& channel) {
    auto packet = channel.receive();
    EXPECT_TRUE(packet) << packet.error().text;
    return packet && *packet ? (*packet)->bytes : "nothing";
  }

  std::optional<Channel> near_;
  std::optional<Channel> far_;
};

TEST_F(ChannelTest, EndsAreCloseOnExecAndNonBlocking) {
  for (const Channel* end : {&*near_, &*far_}) {
    EXPECT_TRUE(::fcntl(end->fd(), F_GETFD) & FD_CLOEXEC);
    EXPECT_TRUE(::fcntl(end->fd(), F_GETFL) & O_NONBLOCK);
  }
  auto none = far_->receive();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

TEST_F(ChannelTest, KeepsMessageBoundaries) {
  ASSERT_TRUE(near_->send(text("one")));
  ASSERT_TRUE(near_->send(text(std::string(kMaxMessageBytes, 'x'))));
  EXPECT_EQ(received(*far_), "one");
  EXPECT_EQ(received(*far_).size(), kMaxMessageBytes);
}

TEST_F(ChannelTest, CarriesDescriptorsCloseOnExec) {
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  struct stat sent {};
  ASSERT_EQ(::fstat(null.get(), &sent), 0);
  Packet packet = text("fd");
  packet.fds.push_back(std::move(null));
  ASSERT_TRUE(near_->send(std::move(packet)));
  auto got = far_->receive();
  ASSERT_TRUE(got && *got);
  ASSERT_EQ((*got)->fds.size(), 1u);
  struct stat seen {};
  ASSERT_EQ(::fstat((*got)->fds[0].get(), &seen), 0);
  EXPECT_EQ(seen.st_rdev, sent.st_rdev);
  EXPECT_TRUE(::fcntl((*got)->fds[0].get(), F_GETFD) & FD_CLOEXEC);
}

TEST_F(ChannelTest, QueuesInOrderWhatThePeerDoesNotTakeAndDropsOverTheBound) {
  std::size_t sent = 0;
  Status status;
  while ((status = near_->send(text(std::to_string(sent))))) ++sent;
  EXPECT_EQ(status.error().code, Errc::kBusy);
  EXPECT_TRUE(near_->wants_write());
  for (std::size_t i = 0; i < sent; ++i) {
    ASSERT_EQ(received(*far_), std::to_string(i));
    ASSERT_TRUE(near_->flush());
  }
  EXPECT_FALSE(near_->wants_write());
  auto none = far_->receive();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
}

TEST_F(ChannelTest, EndOfFileIsClosed) {
  near_.reset();
  auto got = far_->receive();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kClosed);
  auto sent = far_->send(text("late"));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Errc::kClosed);
}

TEST_F(ChannelTest, RefusesATruncatedMessage) {
  const std::string huge(kMaxMessageBytes + 1, 'x');
  ASSERT_EQ(::send(near_->fd(), huge.data(), huge.size(), 0), static_cast<ssize_t>(huge.size()));
  auto got = far_->receive();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kTooLarge);
}

TEST_F(ChannelTest, RefusesMoreDescriptorsThanAMessageMayHaveAndLeaksNone) {
  constexpr std::size_t kCount = kMaxMessageFds + 1;
  UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kCount)> control{};
  char byte = 'x';
  iovec data{&byte, 1};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int) * kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const int fd = null.get();
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &fd, sizeof(int));
  }
  ASSERT_EQ(::sendmsg(near_->fd(), &header, 0), 1);
  const UniqueFd before(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto got = far_->receive();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::kTooLarge);
  const UniqueFd after(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(after.get(), before.get() + 1);
}

TEST_F(ChannelTest, TellsThatThisProcessHadNoDescriptorsLeft) {
  HandOver message;
  for (std::uint64_t id = 0; id < 8; ++id) {
    message.connections.push_back(
        {id, "l", "p", 1, 0, UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC))});
  }
  auto packet = encode(ToSupervisor(std::move(message)));
  ASSERT_TRUE(packet);
  ASSERT_TRUE(near_->send(std::move(*packet)));
  const int lowest = UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)).get();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{static_cast<rlim_t>(lowest) + 3, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  auto got = far_->receive();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(got && *got) << got.error().text;
  EXPECT_TRUE((*got)->lost_fds);
  const auto decoded = decode_to_supervisor(std::move(**got));
  ASSERT_TRUE(decoded) << decoded.error().text;
  const auto& connections = std::get<HandOver>(*decoded).connections;
  ASSERT_EQ(connections.size(), 8U);
  EXPECT_TRUE(connections.front().fd);
  EXPECT_FALSE(connections.back().fd);
}

}  // namespace
}  // namespace servery::ipc
