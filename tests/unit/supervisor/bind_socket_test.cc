#include "supervisor/bind_socket.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

int option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

TEST(BindSocket, ABoundSocketHasEverythingItsConnectionsInherit) {
  const auto fd = bind_tcp(*TcpAddress::parse(AddressFamily::kIpv4, "127.0.0.1", 0));
  ASSERT_TRUE(fd) << fd.error().text;
  EXPECT_EQ(option(fd->get(), SOL_SOCKET, SO_REUSEPORT), 1);
  EXPECT_EQ(option(fd->get(), IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(fd->get(), IPPROTO_TCP, TCP_DEFER_ACCEPT), 1);
  EXPECT_EQ(option(fd->get(), SOL_SOCKET, SO_ACCEPTCONN), 0) << "bound, not listening";
  EXPECT_NE(fcntl(fd->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(BindSocket, Ipv6IsItsOwnFamily) {
  const auto fd = bind_tcp(*TcpAddress::parse(AddressFamily::kIpv6, "", 0));
  if (!fd && fd.error().code == Errc::kUnsupported) GTEST_SKIP() << "no IPv6 in this kernel";
  ASSERT_TRUE(fd) << fd.error().text;
  EXPECT_EQ(option(fd->get(), IPPROTO_IPV6, IPV6_V6ONLY), 1);
}

class ProbeTest : public testing::Test {
 protected:
  ProbeTest() {
    fd_ = std::move(*bind_tcp(*TcpAddress::parse(AddressFamily::kIpv4, "127.0.0.1", 0)));
    address_ = *TcpAddress::of_socket(fd_.get());
    EXPECT_EQ(listen(fd_.get(), 8), 0);
  }
  UniqueFd fd_;
  TcpAddress address_;
};

TEST_F(ProbeTest, AListeningSocketIsInUseUnlessItIsOurs) {
  const Status foreign = probe_tcp(address_, {});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, Errc::kExists);
  EXPECT_THAT(foreign.error().text, HasSubstr(address_.text() + " is in use by "));
  EXPECT_TRUE(probe_tcp(address_, {inode_of(fd_.get())}));
  EXPECT_FALSE(refuse_foreign_listener(address_, {}));
  EXPECT_TRUE(refuse_foreign_listener(address_, {inode_of(fd_.get())}));
}

TEST_F(ProbeTest, AFreePortIsFreeAndStaysSo) {
  fd_.reset();
  EXPECT_TRUE(probe_tcp(address_, {}));
  EXPECT_TRUE(probe_tcp(address_, {})) << "the probe keeps nothing";
}

// Connections of an earlier server in TIME_WAIT do not hold the port.
TEST_F(ProbeTest, TimeWaitIsNotInUse) {
  UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(client.get(), address_.data(), address_.size()), 0);
  ASSERT_EQ(send(client.get(), "x", 1, 0), 1);
  UniqueFd served(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(served);
  char byte;
  ASSERT_EQ(recv(served.get(), &byte, 1, 0), 1);
  served.reset();  // closes first: TIME_WAIT stays at this end
  ASSERT_EQ(recv(client.get(), &byte, 1, 0), 0);
  client.reset();
  fd_.reset();
  EXPECT_TRUE(probe_tcp(address_, {}));
  EXPECT_TRUE(bind_tcp(address_));
}

TEST_F(ProbeTest, OwnersAreNamed) {
  const auto owners = socket_owners({inode_of(fd_.get())});
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_THAT(owners[0], testing::StartsWith(std::to_string(getpid()) + " ("));
  EXPECT_TRUE(socket_owners({}).empty());
}

}  // namespace
}  // namespace servery
