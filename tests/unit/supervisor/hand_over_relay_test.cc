#include "supervisor/hand_over_relay.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <csignal>

#include "tests/unit/supervisor/fleet_fixture.h"

namespace servery {
namespace {

class HandOverRelayTest : public test::FleetFixture {
 protected:
  void on_taken_over(WorkerProcess& taker, const ipc::TakenOver& message) override {
    relay.on_taken_over(taker, message);
  }
  void on_worker_gone(WorkerProcess& worker) override { relay.on_worker_gone(worker); }

  // Connections with these ids, accepted on the sockets of `giver`.
  ipc::HandOver offer(const Generation& giver, const std::vector<std::uint64_t>& ids) {
    ipc::HandOver message;
    for (const std::uint64_t id : ids) {
      ipc::Connection connection;
      connection.id = id;
      connection.listener = "of the giver";
      connection.fd = connect_to(giver);
      message.connections.push_back(std::move(connection));
    }
    return message;
  }
  // The server's end. Accepted here: a scripted worker polls nothing.
  UniqueFd connect_to(const Generation& generation) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::getsockname(generation.sockets_of(0).front().fd, generic, &size), 0);
    UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(client.get(), generic, size), 0);
    EXPECT_EQ(::send(client.get(), "G", 1, MSG_NOSIGNAL), 1);  // accept waits for data
    clients.push_back(std::move(client));
    std::vector<pollfd> sockets;
    for (std::uint32_t slot = 0; slot < generation.slot_count(); ++slot) {
      sockets.push_back({generation.sockets_of(slot).front().fd, POLLIN, 0});
    }
    EXPECT_EQ(::poll(sockets.data(), sockets.size(), 10'000), 1);
    for (const pollfd& socket : sockets) {
      if (socket.revents != 0)
        return UniqueFd(::accept4(socket.fd, nullptr, nullptr, SOCK_CLOEXEC));
    }
    return {};
  }
  // A scripted giver reports what it was told: (offered, taken).
  static std::pair<std::uint32_t, std::uint32_t> told(const WorkerProcess& giver) {
    return {giver.open_work().keepalive, giver.open_work().response};
  }

  HandOverRelay relay{fleet, listeners};
  std::vector<UniqueFd> clients;
};

TEST_F(HandOverRelayTest, GoesToTheSameSlotOfTheCurrentGenerationAndBackComesWhatWasTaken) {
  Generation& old = serve(plan_for(2));
  Generation& current = serve(plan_for(2));
  WorkerProcess& giver = *old.worker_of(1);
  const pid_t bystander = current.worker_of(0)->pid();
  ::kill(bystander, SIGSTOP);
  relay.on_hand_over(giver, offer(old, {11, 12, 13}));
  run_until([&] { return told(giver) == std::pair(3U, 3U); });
  ::kill(bystander, SIGCONT);
}

TEST_F(HandOverRelayTest, WithoutASuccessorEverythingStays) {
  Generation& only = serve(plan_for(1));
  relay.on_hand_over(*only.worker_of(0), offer(only, {5}));
  run_until([&] { return told(*only.worker_of(0)) == std::pair(1U, 0U); });
}

TEST_F(HandOverRelayTest, WhatCameToAnAddressThatIsServedNoMoreStays) {
  Generation& old = serve(plan_for(1));
  serve(plan_for(1));
  ipc::HandOver message = offer(old, {1, 2});
  message.connections[1].fd = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  relay.on_hand_over(*old.worker_of(0), std::move(message));
  run_until([&] { return told(*old.worker_of(0)) == std::pair(1U, 1U); });
}

TEST_F(HandOverRelayTest, ATakerThatDiesGivesEverythingBack) {
  Generation& old = serve(plan_for(1));
  Generation& current = serve(plan_for(1));
  const pid_t taker = current.worker_of(0)->pid();
  ::kill(taker, SIGSTOP);
  relay.on_hand_over(*old.worker_of(0), offer(old, {7, 8}));
  ::kill(taker, SIGKILL);
  run_until([&] { return told(*old.worker_of(0)) == std::pair(2U, 0U); });
}

}  // namespace
}  // namespace servery
