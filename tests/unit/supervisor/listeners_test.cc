#include "supervisor/listeners.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "supervisor/bind_socket.h"
#include "supervisor/unix_listener.h"

namespace servery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

class ListenersTest : public testing::Test {
 protected:
  ListenersTest() {
    char name[] = "/tmp/servery-listeners-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~ListenersTest() override { std::filesystem::remove_all(directory_); }

  static PlanListener tcp(const std::string& ip, std::uint16_t port) {
    PlanListener listener;
    listener.family = AddressFamily::kIpv4;
    listener.ip = ip;
    listener.port = port;
    listener.configured = ip + ":" + std::to_string(port);
    return listener;
  }
  static PlanListener both(std::uint16_t port) {
    PlanListener listener;
    listener.port = port;
    listener.configured = ":" + std::to_string(port);
    return listener;
  }
  PlanListener unix_path(const std::string& name, std::uint32_t mode = 0660) const {
    PlanListener listener;
    listener.kind = AddressKind::kUnix;
    listener.path = directory_ + "/" + name;
    listener.mode = mode;
    listener.configured = "unix:" + listener.path;
    return listener;
  }
  static PlanListener fd_named(const std::string& name) {
    PlanListener listener;
    listener.kind = AddressKind::kFd;
    listener.fd = name;
    listener.configured = "fd:" + name;
    return listener;
  }
  static Plan plan_of(std::vector<PlanListener> listeners) {
    Plan plan;
    plan.listeners = std::move(listeners);
    return plan;
  }

  // The whole reload as the supervisor does it, with workers that empty their sockets at once.
  void apply(Listeners& listeners, std::vector<PlanListener> wanted, std::uint32_t slots) {
    const Status prepared = listeners.prepare(plan_of(std::move(wanted)), slots);
    ASSERT_TRUE(prepared) << prepared.error().text;
    const Status committed = listeners.commit();
    ASSERT_TRUE(committed) << committed.error().text;
    for (const LeavingSocket& socket : listeners.retire()) listeners.close_leaving(socket.name);
    EXPECT_THAT(listeners.take_warnings(), IsEmpty());
  }

  static TcpAddress address_of(const SlotSocket& socket) {
    return *TcpAddress::of_socket(socket.fd);
  }
  static bool can_connect(const TcpAddress& address) {
    const UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    return connect(fd.get(), address.data(), address.size()) == 0;
  }
  static bool can_connect(const std::string& path) {
    return *probe_unix_socket(path) == UnixSocketState::kLive;
  }
  // Has the local address of a connection that came to `address`.
  static UniqueFd bound_to(const TcpAddress& address) {
    UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    EXPECT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
    EXPECT_EQ(bind(fd.get(), address.data(), address.size()), 0);
    return fd;
  }
  // Somebody else's listening socket.
  static UniqueFd foreign(TcpAddress address, bool reuse_port) {
    UniqueFd fd(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = reuse_port ? 1 : 0;
    EXPECT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
    EXPECT_EQ(bind(fd.get(), address.data(), address.size()), 0);
    EXPECT_EQ(listen(fd.get(), 256), 0);
    return fd;
  }
  static UniqueFd foreign_loopback(bool reuse_port) {
    return foreign(*TcpAddress::parse(AddressFamily::kIpv4, "127.0.0.1", 0), reuse_port);
  }
  static std::uint16_t port_of(int fd) { return TcpAddress::of_socket(fd)->port(); }
  static std::vector<InheritedFd> inherited(UniqueFd fd, std::string name) {
    std::vector<InheritedFd> fds;
    const int number = fd.get();
    fds.push_back({std::move(fd), number, std::move(name)});
    return fds;
  }

  std::string directory_;
};

TEST_F(ListenersTest, PreparedSocketsTakeNoConnectionUntilCommit) {
  Listeners listeners({});
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 2));
  const auto sockets = listeners.sockets_of(1);
  ASSERT_EQ(sockets.size(), 1U);
  EXPECT_FALSE(can_connect(address_of(sockets[0])));
  ASSERT_TRUE(listeners.commit());
  EXPECT_TRUE(can_connect(address_of(sockets[0])));
}

TEST_F(ListenersTest, PortZeroIsResolvedOnceForEverySlot) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 4);
  std::set<std::string> addresses;
  std::set<std::string> names;
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    const auto sockets = listeners.sockets_of(slot);
    ASSERT_EQ(sockets.size(), 1U);
    addresses.insert(address_of(sockets[0]).text());
    names.insert(sockets[0].name);
    EXPECT_TRUE(sockets[0].name.ends_with("-" + std::to_string(slot)));
    EXPECT_NE(fcntl(sockets[0].fd, F_GETFD) & FD_CLOEXEC, 0);
  }
  EXPECT_EQ(addresses.size(), 1U);
  EXPECT_EQ(names.size(), 4U);
  ASSERT_EQ(listeners.status().size(), 1U);
  EXPECT_EQ(listeners.status()[0].address, *addresses.begin());
  EXPECT_EQ(listeners.status()[0].configured, "127.0.0.1:0");
  EXPECT_EQ(listeners.status()[0].sockets, 4U);
  EXPECT_EQ(listeners.status()[0].mode, "per_slot");
}

TEST_F(ListenersTest, APortAloneIsBothFamiliesOnOnePort) {
  if (!UniqueFd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0))) GTEST_SKIP() << "no IPv6";
  Listeners listeners({});
  apply(listeners, {both(0)}, 2);
  const auto sockets = listeners.sockets_of(0);
  ASSERT_EQ(sockets.size(), 2U);
  EXPECT_EQ(address_of(sockets[0]).family(), AF_INET);
  EXPECT_EQ(address_of(sockets[1]).family(), AF_INET6);
  EXPECT_EQ(address_of(sockets[0]).port(), address_of(sockets[1]).port());
  EXPECT_EQ(sockets[0].configured, sockets[1].configured);
}

TEST_F(ListenersTest, ABusyPortIsRefusedAndItsOwnerNamed) {
  for (const bool reuse_port : {false, true}) {  // with SO_REUSEPORT the kernel would share it
    const UniqueFd other = foreign_loopback(reuse_port);
    const std::size_t before = open_descriptors();
    Listeners listeners({});
    const auto status = listeners.prepare(
        plan_of({tcp("127.0.0.1", 0), tcp("127.0.0.1", port_of(other.get()))}), 2);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Errc::kExists);
    EXPECT_THAT(status.error().text, HasSubstr(std::to_string(getpid()) + " ("));
    EXPECT_EQ(open_descriptors(), before) << "nothing stays bound";
    EXPECT_THAT(listeners.sockets_of(0), IsEmpty());
  }
}

TEST_F(ListenersTest, AServerThatComesBetweenPrepareAndCommitIsNoticed) {
  Listeners listeners({});
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 1));
  const UniqueFd other = foreign(address_of(listeners.sockets_of(0)[0]), true);
  const Status committed = listeners.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, Errc::kExists);
  listeners.abort();
  EXPECT_THAT(listeners.sockets_of(0), IsEmpty());
}

TEST_F(ListenersTest, OurOwnWildcardDoesNotHideAForeignSpecificSocket) {
  Listeners listeners({});
  apply(listeners, {tcp("0.0.0.0", 0)}, 1);
  const std::uint16_t port = address_of(listeners.sockets_of(0)[0]).port();
  // Beside our own wildcard a specific address is ours to add ...
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("0.0.0.0", 0), tcp("127.0.0.1", port)}), 1));
  listeners.abort();
  // ... unless somebody else of the same user has it.
  const UniqueFd other = foreign(*TcpAddress::parse(AddressFamily::kIpv4, "127.0.0.1", port), true);
  const auto status = listeners.prepare(plan_of({tcp("0.0.0.0", 0), tcp("127.0.0.1", port)}), 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::kExists);
}

TEST_F(ListenersTest, AnAddressNotOfThisMachineIsAnErrorWithItsText) {
  Listeners listeners({});
  const auto status = listeners.prepare(plan_of({tcp("192.0.2.1", 8080)}), 1);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().text, HasSubstr("192.0.2.1:8080"));
}

TEST_F(ListenersTest, TheSameAddressKeepsItsSocketsOverReloads) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  const int fd = listeners.sockets_of(1)[0].fd;
  const std::size_t before = open_descriptors();
  apply(listeners, {unix_path("a"), tcp("127.0.0.1", 0)}, 2);
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  ASSERT_EQ(listeners.sockets_of(1).size(), 1U);
  EXPECT_EQ(listeners.sockets_of(1)[0].fd, fd);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ListenersTest, AbortLeavesEverythingAsItWas) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  const auto before = listeners.sockets_of(0);
  const std::size_t descriptors = open_descriptors();
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.2", 0), unix_path("b"), both(0)}), 4));
  EXPECT_EQ(listeners.sockets_of(3).size(), 4U);
  listeners.abort();
  EXPECT_EQ(open_descriptors(), descriptors);
  ASSERT_EQ(listeners.sockets_of(0).size(), 1U);
  EXPECT_EQ(listeners.sockets_of(0)[0].fd, before[0].fd);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  EXPECT_TRUE(can_connect(address_of(before[0])));
}

TEST_F(ListenersTest, SlotsAreAddedAndLeaveHighestFirst) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 1);
  const std::string address = address_of(listeners.sockets_of(0)[0]).text();
  apply(listeners, {tcp("127.0.0.1", 0)}, 3);
  ASSERT_EQ(listeners.sockets_of(2).size(), 1U);
  EXPECT_EQ(address_of(listeners.sockets_of(2)[0]).text(), address);
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 1));
  ASSERT_TRUE(listeners.commit());
  const auto leaving = listeners.retire();
  ASSERT_EQ(leaving.size(), 2U);
  EXPECT_EQ(leaving[0].slot, 1U);
  EXPECT_EQ(leaving[1].slot, 2U);
  EXPECT_EQ(listeners.status()[0].sockets, 1U);
  EXPECT_EQ(listeners.status()[0].leaving, 2U);
  EXPECT_THAT(listeners.sockets_of(1), IsEmpty());
  for (const LeavingSocket& socket : leaving) listeners.close_leaving(socket.name);
  EXPECT_EQ(listeners.status()[0].leaving, 0U);
  EXPECT_THAT(listeners.retire(), IsEmpty()) << "once is enough";
}

TEST_F(ListenersTest, ALeavingSocketIsTakenBackByALaterPlan) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  const SlotSocket second = listeners.sockets_of(1)[0];
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 1));
  ASSERT_TRUE(listeners.commit());
  ASSERT_EQ(listeners.retire().size(), 1U);
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 2));
  listeners.close_leaving(second.name);  // the old worker reports while the plan is prepared
  EXPECT_TRUE(listeners.is_leaving(second.name));
  ASSERT_TRUE(listeners.commit());
  EXPECT_FALSE(listeners.is_leaving(second.name));
  EXPECT_THAT(listeners.retire(), IsEmpty());
  ASSERT_EQ(listeners.sockets_of(1).size(), 1U);
  EXPECT_EQ(listeners.sockets_of(1)[0].fd, second.fd);
  // Of many clients some reach it again.
  std::vector<UniqueFd> clients;
  const TcpAddress address = address_of(second);
  for (int i = 0; i < 64; ++i) {
    UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(client.get(), address.data(), address.size()), 0);
    ASSERT_EQ(send(client.get(), "x", 1, 0), 1);
    clients.push_back(std::move(client));
  }
  EXPECT_TRUE(UniqueFd(accept4(second.fd, nullptr, nullptr, SOCK_CLOEXEC)));
}

TEST_F(ListenersTest, AbortClosesWhatWasReportedEmptyMeanwhile) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  const std::size_t descriptors = open_descriptors();
  const std::string name = listeners.sockets_of(1)[0].name;
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 1));
  ASSERT_TRUE(listeners.commit());
  ASSERT_EQ(listeners.retire().size(), 1U);
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", 0)}), 2));
  listeners.close_leaving(name);
  EXPECT_EQ(open_descriptors(), descriptors);
  listeners.abort();
  EXPECT_EQ(open_descriptors(), descriptors - 1);
}

TEST_F(ListenersTest, AConnectionBelongsToWhatListensAtItsAddressNow) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0), unix_path("http.sock")}, 2);
  const TcpAddress address = address_of(listeners.sockets_of(1)[0]);
  const UniqueFd connection = bound_to(address);
  const auto owner = [&] { return listeners.socket_for(connection.get()); };
  EXPECT_EQ(owner(), listeners.sockets_of(0)[0].name) << "any slot's";
  EXPECT_EQ(listeners.socket_for(listeners.sockets_of(0)[1].fd), listeners.sockets_of(0)[1].name);

  apply(listeners, {tcp("0.0.0.0", address.port())}, 1);
  EXPECT_EQ(owner(), listeners.sockets_of(0)[0].name) << "the wildcard is at its address too";
  const std::string wildcard = owner();
  ASSERT_TRUE(listeners.prepare(plan_of({tcp("127.0.0.1", address.port())}), 1));
  EXPECT_EQ(owner(), wildcard) << "not yet committed";
  listeners.abort();
  apply(listeners, {tcp("127.0.0.2", address.port())}, 1);
  EXPECT_EQ(owner(), "") << "another address";
}

TEST_F(ListenersTest, WhenNothingIsWantedEverythingLeaves) {
  const std::size_t descriptors = open_descriptors();
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0), unix_path("c"), both(0)}, 3);
  apply(listeners, {}, 0);
  EXPECT_THAT(listeners.status(), IsEmpty());
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ListenersTest, TheDefaultPortMovesToTheNextFreeOne) {
  Plan plan = plan_of({tcp("127.0.0.1", 8000)});
  plan.default_port_scan = true;
  Listeners first({});
  ASSERT_TRUE(first.prepare(plan, 2));
  ASSERT_TRUE(first.commit());
  Listeners second({});
  ASSERT_TRUE(second.prepare(plan, 2));
  const auto first_port = address_of(first.sockets_of(0)[0]).port();
  const auto second_port = address_of(second.sockets_of(0)[0]).port();
  EXPECT_GE(first_port, 8000);
  EXPECT_GT(second_port, first_port);
  EXPECT_LE(second_port, 8063);
  ASSERT_TRUE(first.prepare(plan, 2)) << "a reload keeps the port it has";
  ASSERT_TRUE(first.commit());
  EXPECT_EQ(address_of(first.sockets_of(0)[0]).port(), first_port);
}

TEST_F(ListenersTest, AUnixSocketAppearsAtCommitWithItsModeAndGoesWithItsListener) {
  Listeners listeners({});
  const PlanListener listener = unix_path("http.sock", 0640);
  ASSERT_TRUE(listeners.prepare(plan_of({listener}), 2));
  EXPECT_FALSE(std::filesystem::exists(listener.path));
  ASSERT_TRUE(listeners.commit());
  struct stat info {};
  ASSERT_EQ(stat(listener.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
  EXPECT_TRUE(can_connect(listener.path));
  ASSERT_EQ(listeners.sockets_of(1).size(), 1U);
  EXPECT_TRUE(listeners.sockets_of(1)[0].shared);
  EXPECT_EQ(listeners.sockets_of(0)[0].fd, listeners.sockets_of(1)[0].fd);
  EXPECT_EQ(listeners.status()[0].address, "unix:" + listener.path);
  EXPECT_EQ(listeners.status()[0].mode, "shared");
  apply(listeners, {unix_path("http.sock", 0600)}, 2);
  ASSERT_EQ(stat(listener.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U) << "a reload may change the mode";
  apply(listeners, {}, 2);
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ListenersTest, AUnixPathMayReturnWhileItsOldSocketIsStillLeaving) {
  Listeners listeners({});
  apply(listeners, {unix_path("x")}, 1);
  ASSERT_TRUE(listeners.prepare(plan_of({}), 1));
  ASSERT_TRUE(listeners.commit());
  const auto leaving = listeners.retire();
  ASSERT_EQ(leaving.size(), 1U);
  ASSERT_TRUE(listeners.prepare(plan_of({unix_path("x")}), 1));
  ASSERT_TRUE(listeners.commit());
  EXPECT_NE(listeners.sockets_of(0)[0].name, leaving[0].name);
  listeners.close_leaving(leaving[0].name);
  EXPECT_TRUE(can_connect(directory_ + "/x"));
  const std::string name = listeners.sockets_of(0)[0].name;
  apply(listeners, {unix_path("x")}, 1);
  EXPECT_EQ(listeners.sockets_of(0)[0].name, name) << "kept by the next reload";
}

TEST_F(ListenersTest, AUnixSocketWhosePathWasRemovedIsBoundAnew) {
  Listeners listeners({});
  apply(listeners, {unix_path("x")}, 1);
  const std::string lost = listeners.sockets_of(0)[0].name;
  std::filesystem::remove(directory_ + "/x");
  ASSERT_TRUE(listeners.prepare(plan_of({unix_path("x")}), 1));
  ASSERT_TRUE(listeners.commit());
  const auto leaving = listeners.retire();
  ASSERT_EQ(leaving.size(), 1U);
  EXPECT_EQ(leaving[0].name, lost);
  EXPECT_TRUE(can_connect(directory_ + "/x"));
  listeners.close_leaving(lost);
  EXPECT_TRUE(can_connect(directory_ + "/x"));
}

TEST_F(ListenersTest, WhatStandsInAUnixSocketsPlaceDecides) {
  const PlanListener listener = unix_path("y");
  std::ofstream(listener.path) << "precious";
  Listeners listeners({});
  const auto not_socket = listeners.prepare(plan_of({listener}), 1);
  ASSERT_FALSE(not_socket);
  EXPECT_EQ(not_socket.error().code, Errc::kInvalid);
  std::string content;
  std::ifstream(listener.path) >> content;
  EXPECT_EQ(content, "precious");
  std::filesystem::remove(listener.path);
  Listeners other({});
  apply(other, {listener}, 1);
  const auto live = listeners.prepare(plan_of({listener}), 1);
  ASSERT_FALSE(live);
  EXPECT_EQ(live.error().code, Errc::kExists);
  EXPECT_TRUE(can_connect(listener.path));
}

TEST_F(ListenersTest, AnInheritedTcpSocketGetsSiblings) {
  UniqueFd passed = foreign_loopback(false);
  const int fd = passed.get();
  const TcpAddress address = *TcpAddress::of_socket(fd);
  Listeners listeners(inherited(std::move(passed), "http"));
  apply(listeners, {fd_named("http")}, 2);
  ASSERT_EQ(listeners.sockets_of(0).size(), 1U);
  ASSERT_EQ(listeners.sockets_of(1).size(), 1U);
  EXPECT_EQ(listeners.sockets_of(0)[0].fd, fd);
  EXPECT_NE(listeners.sockets_of(1)[0].fd, fd);
  EXPECT_EQ(address_of(listeners.sockets_of(1)[0]).text(), address.text());
  EXPECT_EQ(listeners.status()[0].kind, "inherited");
  EXPECT_EQ(listeners.status()[0].mode, "per_slot");
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 64; ++i) {
    UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(client.get(), address.data(), address.size()), 0);
    ASSERT_EQ(send(client.get(), "x", 1, 0), 1);
    clients.push_back(std::move(client));
  }
  EXPECT_TRUE(UniqueFd(accept4(listeners.sockets_of(0)[0].fd, nullptr, nullptr, SOCK_CLOEXEC)));
  EXPECT_TRUE(UniqueFd(accept4(listeners.sockets_of(1)[0].fd, nullptr, nullptr, SOCK_CLOEXEC)));
}

TEST_F(ListenersTest, AnInheritedSocketSurvivesLeavingAndMayReturn) {
  UniqueFd passed = foreign_loopback(false);
  const int fd = passed.get();
  Listeners listeners(inherited(std::move(passed), "http"));
  apply(listeners, {fd_named(std::to_string(fd))}, 2);  // by number
  apply(listeners, {tcp("127.0.0.1", 0)}, 2);
  EXPECT_EQ(listeners.status().size(), 1U);
  EXPECT_TRUE(can_connect(*TcpAddress::of_socket(fd))) << "its owner hears of whoever comes";
  apply(listeners, {fd_named("http")}, 2);
  EXPECT_EQ(listeners.sockets_of(0)[0].fd, fd);
  EXPECT_TRUE(can_connect(*TcpAddress::of_socket(fd)));
}

TEST_F(ListenersTest, AnInheritedUnixSocketIsShared) {
  UniqueFd passed(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_EQ(bind(passed.get(), reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)), 0);
  ASSERT_EQ(listen(passed.get(), 8), 0);
  Listeners listeners(inherited(std::move(passed), "web"));
  apply(listeners, {fd_named("web")}, 3);
  EXPECT_EQ(listeners.sockets_of(0)[0].fd, listeners.sockets_of(2)[0].fd);
  EXPECT_TRUE(listeners.sockets_of(2)[0].shared);
  EXPECT_EQ(listeners.status()[0].mode, "shared");
}

TEST_F(ListenersTest, AnInheritedSocketMustExistAndListen) {
  UniqueFd idle(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Listeners listeners(inherited(std::move(idle), "idle"));
  const auto missing = listeners.prepare(plan_of({fd_named("http")}), 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kNotFound);
  const auto not_listening = listeners.prepare(plan_of({fd_named("idle")}), 1);
  ASSERT_FALSE(not_listening);
  EXPECT_EQ(not_listening.error().code, Errc::kInvalid);
}

TEST_F(ListenersTest, StoredSocketsServeTheirOwnSlotAgainAndOthersAreClosed) {
  std::vector<InheritedFd> stored;
  std::string address;
  {
    Listeners before({});
    apply(before, {tcp("127.0.0.1", 0)}, 2);
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      const SlotSocket socket = before.sockets_of(slot)[0];
      address = address_of(socket).text();
      stored.push_back({UniqueFd(fcntl(socket.fd, F_DUPFD_CLOEXEC, 0)), 3, socket.name});
    }
  }
  stored.push_back({foreign_loopback(true), 5, "l-0000000000000000-0"});
  stored.push_back({foreign_loopback(true), 6, "http"});
  Listeners after(std::move(stored));
  apply(after, {tcp("127.0.0.1", 0)}, 3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    EXPECT_EQ(address_of(after.sockets_of(slot)[0]).text(), address);
  }
  EXPECT_THAT(after.close_unclaimed(), ElementsAre("l-0000000000000000-0"));
}

TEST_F(ListenersTest, WhatStandsInTheWayIsSeenWithoutTakingAnything) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0)}, 1);
  const std::size_t before = open_descriptors();
  EXPECT_THAT(listeners.obstacles(plan_of({tcp("127.0.0.1", 0), both(0), unix_path("a.sock")})),
              IsEmpty());
  const UniqueFd other = foreign_loopback(true);
  UnixListener live = *UnixListener::bind(directory_ + "/live.sock", 0600);
  ASSERT_TRUE(live.publish(1));
  std::ofstream(directory_ + "/file") << "no socket";
  const auto obstacles = listeners.obstacles(
      plan_of({tcp("127.0.0.1", port_of(other.get())), unix_path("live.sock"), unix_path("file")}));
  ASSERT_THAT(obstacles, SizeIs(3));
  EXPECT_EQ(obstacles[0].code, Errc::kExists);
  EXPECT_THAT(obstacles[0].text, HasSubstr("is in use"));
  EXPECT_EQ(obstacles[1].code, Errc::kExists);
  EXPECT_EQ(obstacles[2].code, Errc::kInvalid);
  EXPECT_EQ(open_descriptors(), before + 3);  // those of this test
}

TEST_F(ListenersTest, ChangesAreToldByConfiguredAddress) {
  Listeners listeners({});
  apply(listeners, {tcp("127.0.0.1", 0), both(0)}, 1);
  const auto changes = listeners.changes(plan_of({tcp("127.0.0.1", 0), tcp("127.0.0.2", 0)}));
  EXPECT_THAT(changes.kept, ElementsAre("127.0.0.1:0"));
  EXPECT_THAT(changes.opened, ElementsAre("127.0.0.2:0"));
  EXPECT_THAT(changes.closed, ElementsAre(":0"));
}

}  // namespace
}  // namespace servery
