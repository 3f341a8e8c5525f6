#include "common/base/listen_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

// A SO_REUSEPORT group on one loopback port, listening in order.
class ListenSocketTest : public testing::Test {
 protected:
  void open_group(int members) {
    for (int i = 0; i < members; ++i) {
      UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const int on = 1;
      ASSERT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
      ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
      socklen_t size = sizeof address_;
      ASSERT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
      ASSERT_EQ(listen(fd.get(), 512), 0);
      group_.push_back(std::move(fd));
    }
  }

  UniqueFd connect_client() {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
    return fd;
  }

  int accept_all(std::size_t member) {
    int count = 0;
    while (true) {
      const UniqueFd fd(accept4(group_[member].get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd) return count;
      ++count;
    }
  }

  sockaddr_in address_ = [] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }();
  std::vector<UniqueFd> group_;
};

TEST_F(ListenSocketTest, OneSelectedMemberGetsEverything) {
  open_group(4);
  ASSERT_TRUE(select_members(group_[0].get(), {2}));
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(connect_client());
  EXPECT_EQ(accept_all(0), 0);
  EXPECT_EQ(accept_all(1), 0);
  EXPECT_EQ(accept_all(2), 100);
  EXPECT_EQ(accept_all(3), 0);
}

TEST_F(ListenSocketTest, SelectedMembersShareAndOthersGetNothing) {
  open_group(4);
  ASSERT_TRUE(select_members(group_[3].get(), {0, 3}));
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(connect_client());
  EXPECT_EQ(accept_all(1) + accept_all(2), 0);
  const int first = accept_all(0);
  const int last = accept_all(3);
  EXPECT_EQ(first + last, 200);
  EXPECT_GT(first, 50);
  EXPECT_GT(last, 50);
}

TEST_F(ListenSocketTest, SelectAllGivesEveryMemberItsShareAgain) {
  open_group(2);
  ASSERT_TRUE(select_members(group_[0].get(), {1}));
  ASSERT_TRUE(select_all_members(group_[0].get()));
  ASSERT_TRUE(select_all_members(group_[0].get())) << "harmless without a selection";
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(connect_client());
  EXPECT_GT(accept_all(0), 50);
}

// When a member closes, the kernel moves the last one into its place.
TEST_F(ListenSocketTest, TheLastMemberTakesAClosedOnesIndex) {
  open_group(4);
  group_[1].reset();
  ASSERT_TRUE(select_members(group_[0].get(), {1}));
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(connect_client());
  EXPECT_EQ(accept_all(3), 50);
}

TEST_F(ListenSocketTest, NoMemberAtAllIsRefused) {
  open_group(1);
  EXPECT_FALSE(select_members(group_[0].get(), {}));
}

// The first SYN is dropped; its retransmission, a second later, finds the door open again.
TEST_F(ListenSocketTest, DroppedConnectionsArriveByRetransmission) {
  open_group(1);
  ASSERT_TRUE(drop_new_connections(group_[0].get()));
  UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ASSERT_NE(connect(client.get(), reinterpret_cast<sockaddr*>(&address_), sizeof address_), 0);
  ASSERT_EQ(errno, EINPROGRESS);
  pollfd writable{client.get(), POLLOUT, 0};
  EXPECT_EQ(poll(&writable, 1, 100), 0) << "a SYN came through";
  ASSERT_TRUE(accept_new_connections(group_[0].get()));
  ASSERT_EQ(poll(&writable, 1, 10'000), 1);
  EXPECT_EQ(writable.revents & (POLLERR | POLLHUP), 0);
  EXPECT_EQ(accept_all(0), 1);
}

TEST_F(ListenSocketTest, ADescriptorThatIsNoSocketIsAnError) {
  const UniqueFd file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(drop_new_connections(file.get()));
  EXPECT_FALSE(set_defer_accept(file.get(), 1));
  EXPECT_FALSE(select_members(file.get(), {0}));
}

}  // namespace
}  // namespace servery
