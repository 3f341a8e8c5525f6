// Accepting from real loopback sockets: admission, shedding, running out of descriptors, leaving.
#include "worker/transport/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include "h1_fixture.h"

namespace servery::transport {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

class Accepting : public H1Test, protected AcceptorEvents {
 protected:
  void TearDown() override { acceptor_.reset(); }

  Acceptor& acceptor() {
    if (!acceptor_) {
      AcceptorEvents& events = *this;
      acceptor_ = std::make_unique<Acceptor>(context(), connections(), events);
    }
    return *acceptor_;
  }
  ListenSocket listen_socket(std::string name, unsigned slot, bool shared = false) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in bound{};
    bound.sin_family = AF_INET;
    bound.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&bound), sizeof bound), 0);
    EXPECT_EQ(::listen(fd.get(), 1024), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return {std::move(name), slot, std::move(fd), shared, false};
  }
  Client& dial() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    dialled_.push_back(std::make_unique<Client>(*loop, fd));
    return *dialled_.back();
  }
  sockaddr_in address{};
  std::vector<std::string> emptied;

 private:
  void on_socket_empty(const std::string& listener, unsigned slot,
                       std::uint32_t leftover) override {
    emptied.push_back(listener + "/" + std::to_string(slot) + "/" + std::to_string(leftover));
  }
  std::unique_ptr<Acceptor> acceptor_;
  std::vector<std::unique_ptr<Client>> dialled_;
};

TEST_F(Accepting, AnswersAndKnowsThePeer) {
  std::string peer;
  answer = [&](http::Exchange& exchange) {
    peer = exchange.facts().peer;
    exchange.respond(text_answer("hello"));
  };
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  Client& client = dial();
  client.send(get("/"));
  run_until_received(client, "hello");
  EXPECT_EQ(peer, "127.0.0.1");
  EXPECT_EQ(metric(Metric::kAccepted), 1U);
  EXPECT_EQ(metric(Metric::kConnections), 1U);
}

TEST_F(Accepting, WhoMayNotSendAProxyHeaderIsRefusedAndOthersMust) {
  std::string peer;
  answer = [&](http::Exchange& exchange) {
    peer = exchange.facts().peer;
    exchange.respond(text_answer("hello"));
  };
  const auto listen_for = [this](std::string from) {
    ListenSocket socket = listen_socket("a", 0);
    socket.proxies =
        std::make_shared<const AddressSet>(*AddressSet::parse(std::vector{std::move(from)}));
    ASSERT_TRUE(acceptor().add(std::move(socket)));
  };
  const std::string request = "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get("/");
  listen_for("192.0.2.0/24");
  Client& unlisted = dial();
  unlisted.send(request);
  run_until_closed(unlisted);
  EXPECT_EQ(unlisted.received, "");
  EXPECT_EQ(metric(Metric::kProxyHeaderUnlisted), 1U);
  listen_for("127.0.0.0/8");
  Client& listed = dial();
  listed.send(request);
  run_until_received(listed, "hello");
  EXPECT_EQ(peer, "192.0.2.1");
  EXPECT_EQ(metric(Metric::kProxyHeaderUnlisted), 1U);
}

TEST_F(Accepting, ManyAtOnce) {
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  std::vector<Client*> clients;
  for (int i = 0; i < 90; ++i) {
    clients.push_back(&dial());
    clients.back()->send(get("/x", "Connection: close\r\n"));
  }
  for (Client* client : clients) {
    run_until_closed(*client);
    EXPECT_THAT(client->received, EndsWith("/x"));
  }
  EXPECT_EQ(metric(Metric::kAccepted), 90U);
}

// What was proved for one of them is no proof for the next, which may have come after it.
TEST_F(Accepting, EachConnectionOfABatchIsATurnOfItsOwn) {
  std::vector<std::uint64_t> turns;
  answer = [&](http::Exchange& exchange) {
    turns.push_back(loop->turn());
    exchange.respond(text_answer("x"));
  };
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  std::vector<Client*> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(&dial());
    clients.back()->send(get("/", "Connection: close\r\n"));
  }
  for (Client* client : clients) run_until_closed(*client);
  ASSERT_EQ(turns.size(), 3U);
  EXPECT_LT(turns[0], turns[1]);
  EXPECT_LT(turns[1], turns[2]);
}

TEST_F(Accepting, WhatFollowsAPipelinedRequestIsATurnOfItsOwnBesideOthers) {
  std::vector<std::pair<std::string, std::uint64_t>> turns;
  answer = [&](http::Exchange& exchange) {
    turns.emplace_back(exchange.request().path, loop->turn());
    exchange.respond(text_answer("x"));
  };
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  std::vector<Client*> clients{&dial(), &dial()};
  for (Client* client : clients) {
    client->send(get("/"));
    run_until_received(*client, "x");
  }
  turns.clear();
  for (Client* client : clients) {  // both are there when the loop looks
    client->send(get("/1") + get("/2") + get("/3", "Connection: close\r\n"));
  }
  for (Client* client : clients) run_until_closed(*client);
  ASSERT_EQ(turns.size(), 6U);
  EXPECT_EQ(turns[0].second, turns[2].second) << "nobody came before: one proof for all";
  EXPECT_EQ(turns[2].second, turns[3].second) << "it had begun to arrive with the first";
  EXPECT_LT(turns[3].second, turns[4].second);
  EXPECT_EQ(turns[4].second, turns[5].second) << "one proof for what one read brought";
}

TEST_F(Accepting, OverTheLimitIsShedWithAWord) {
  max_connections = 1;
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  Client& first = dial();
  first.send(get("/"));
  run_until_received(first, "/");
  Client& second = dial();
  second.send(get("/"));
  run_until_closed(second);
  EXPECT_THAT(statuses(second), ElementsAre("503"));
  EXPECT_THAT(second.received, HasSubstr("Retry-After: "));
  EXPECT_EQ(metric(Metric::kShedConnections), 1U);
  first.send(get("/still"));
  run_until_received(first, "/still");
  EXPECT_THAT(first.received, EndsWith("/still"));
}

TEST_F(Accepting, WithoutDescriptorsNewOnesAreShedAndOldOnesLive) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's check of virtual calls needs two descriptors of its own";
#endif
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  Client& old = dial();
  old.send(get("/"));
  run_until_received(old, "/");
  std::vector<Client*> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(&dial());
    clients.back()->send(get("/"));
  }
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const int next = ::fcntl(0, F_DUPFD_CLOEXEC, 0);
  ::close(next);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (Client* client : clients) run_until_closed(*client);
  old.send(get("/old"));
  run_until_received(old, "/old");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(metric(Metric::kShedDescriptors), 20U);
  EXPECT_THAT(statuses(*clients[0]), ElementsAre("503"));
  EXPECT_THAT(old.received, EndsWith("/old"));
  Client& late = dial();  // and it goes on
  late.send(get("/late"));
  run_until_received(late, "/late");
  EXPECT_THAT(late.received, EndsWith("/late"));
}

TEST_F(Accepting, LentSocketsGoBack) {
  ASSERT_TRUE(acceptor().add(listen_socket("own", 0)));
  ASSERT_TRUE(acceptor().add(listen_socket("lent", 1)));
  Client& client = dial();
  client.send(get("/lent"));
  run_until_received(client, "/lent");
  acceptor().remove_slot(1);
  EXPECT_FALSE(acceptor().is_empty());
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_NE(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(fd);
  client.send(get("/on"));  // accepted ones stay
  run_until_received(client, "/on");
  EXPECT_THAT(client.received, EndsWith("/on"));
}

TEST_F(Accepting, LeavingSocketIsEmptiedFirst) {
  ASSERT_TRUE(acceptor().add(listen_socket("a", 3)));
  std::vector<Client*> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(&dial());  // silent, in the queue
  EXPECT_TRUE(acceptor().leave("a", 3, Milliseconds{5000}));
  acceptor().remove_all_but_leaving();
  EXPECT_FALSE(acceptor().is_empty());
  run_until([&] { return !emptied.empty(); });
  EXPECT_THAT(emptied, ElementsAre("a/3/0"));
  EXPECT_TRUE(acceptor().is_empty());
  for (Client* client : clients) {
    client->send(get("/served"));
    run_until_received(*client, "/served");
    EXPECT_THAT(client->received, EndsWith("/served"));
  }
}

TEST_F(Accepting, OnlyWhatIsPolledCanLeave) {
  ASSERT_TRUE(acceptor().add(listen_socket("a", 0)));
  EXPECT_FALSE(acceptor().leave("a", 1, Milliseconds{1}));
  EXPECT_FALSE(acceptor().leave("b", 0, Milliseconds{1}));
}

TEST_F(Accepting, NamesKeepTheirNumbers) {
  EXPECT_EQ(acceptor().number_of("a"), 0U);
  EXPECT_EQ(acceptor().number_of("b"), 1U);
  EXPECT_EQ(acceptor().number_of("a"), 0U);
  EXPECT_THAT(acceptor().names(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace servery::transport
