#include "common/base/socket_diag.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>

#include "common/base/listen_socket.h"
#include "common/base/unique_fd.h"

namespace servery {
namespace {

class SocketDiagTest : public testing::Test {
 protected:
  void SetUp() override {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    socklen_t size = sizeof address_;
    ASSERT_EQ(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }

  UniqueFd connect_client() {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    return fd;
  }

  sockaddr_in address_{};
  UniqueFd listener_;
};

TEST_F(SocketDiagTest, AListenerIsFoundByPortWithItsInode) {
  const std::uint16_t port = ntohs(address_.sin_port);
  const auto before = list_listening(port);
  ASSERT_TRUE(before) << before.error().text;
  EXPECT_TRUE(before->empty()) << "bound is not listening";
  ASSERT_EQ(listen(listener_.get(), 8), 0);
  const auto found = list_listening(port);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  struct stat info {};
  ASSERT_EQ(fstat(listener_.get(), &info), 0);
  EXPECT_EQ(found->front().inode, info.st_ino);
  EXPECT_EQ(found->front().local_port, port);
  EXPECT_EQ(found->front().local[0], 127);
}

TEST_F(SocketDiagTest, V6OnlyIsReported) {
  for (const int only : {0, 1}) {
    const UniqueFd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) GTEST_SKIP() << "no IPv6 in this kernel";
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    ASSERT_EQ(setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only), 0);
    ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    ASSERT_EQ(listen(fd.get(), 8), 0);
    socklen_t size = sizeof any;
    ASSERT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
    const auto found = list_listening(ntohs(any.sin6_port));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->front().v6_only, only == 1);
  }
}

// A silent client of a deferred socket is half open; without deferral it reaches the queue with the
// SYN-ACK's retransmission.
TEST_F(SocketDiagTest, HalfOpenConnectionsAreRememberedUntilTheyComplete) {
  ASSERT_TRUE(set_defer_accept(listener_.get(), 1));
  ASSERT_EQ(listen(listener_.get(), 8), 0);
  const UniqueFd silent = connect_client();
  auto watch = HalfOpenWatch::begin(listener_.get());
  ASSERT_TRUE(watch) << watch.error().text;
  EXPECT_EQ(watch->count(), 1U);
  const UniqueFd later = connect_client();
  auto both = HalfOpenWatch::begin(listener_.get());
  ASSERT_TRUE(both);
  EXPECT_EQ(both->count(), 2U);
  EXPECT_EQ(*watch->remaining(), 1U) << "one that came later does not count";
  ASSERT_TRUE(set_defer_accept(listener_.get(), 0));
  pollfd ready{listener_.get(), POLLIN, 0};
  for (int accepted = 0; accepted < 2; ++accepted) {
    ASSERT_EQ(poll(&ready, 1, 10'000), 1);
    const UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(connection);
  }
  EXPECT_EQ(*watch->remaining(), 0U);
  EXPECT_EQ(*both->remaining(), 0U);
}

TEST(SocketDiag, AUnixSocketHasNoHalfOpenConnections) {
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;  // autobind
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)), 0);
  const auto watch = HalfOpenWatch::begin(fd.get());
  ASSERT_TRUE(watch);
  EXPECT_EQ(watch->count(), 0U);
}

}  // namespace
}  // namespace servery
