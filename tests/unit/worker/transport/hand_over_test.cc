// Idle connections to the successor: each is served by exactly one worker at any time.
#include "worker/transport/hand_over.h"

#include <gmock/gmock.h>

#include "h1_fixture.h"

namespace servery::transport {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

class Successor : public H1Test, protected HandOverSink {
 protected:
  void begin() {
    HandOverSink& sink = *this;
    hand_over = std::make_unique<HandOver>(context(), sink, names);
    connections().set_drain_listener(*hand_over);
  }
  void drain() {
    context().drain = Drain::kHandOver;
    connections().drain();
  }
  Client& connect_and_ask() {
    Client& client = connect();
    client.send(get("/before"));
    run_until_received(client, "/before");
    return client;
  }
  std::vector<std::uint64_t> ids(std::size_t batch) const {
    std::vector<std::uint64_t> result;
    for (const HandedConnection& handed : batches[batch]) result.push_back(handed.id);
    return result;
  }
  std::vector<std::string> names{"127.0.0.1:80"};
  std::vector<std::vector<HandedConnection>> batches;
  std::unique_ptr<HandOver> hand_over;

 private:
  void on_hand_over(std::vector<HandedConnection> batch) override {
    batches.push_back(std::move(batch));
  }
};

TEST_F(Successor, IsOfferedIdleConnectionsWithWhoTheyAre) {
  begin();
  connect_and_ask();
  drain();
  EXPECT_THAT(batches, IsEmpty()) << "later than the call";
  run_until([&] { return !batches.empty(); });
  ASSERT_THAT(batches[0], SizeIs(1));
  const HandedConnection& handed = batches[0][0];
  EXPECT_EQ(handed.listener, "127.0.0.1:80");
  EXPECT_EQ(handed.peer, "192.0.2.7");
  EXPECT_EQ(handed.peer_port, 4711);
  EXPECT_EQ(handed.requests, 1U);
  EXPECT_EQ(::fcntl(handed.fd.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_F(Successor, ServesWhatItTookAndTheClientNoticesNothing) {
  begin();
  Client& client = connect_and_ask();
  drain();
  run_until([&] { return !batches.empty(); });
  client.send(get("/after"));  // not read here: the connection is on offer
  UniqueFd taken = std::move(batches[0][0].fd);
  hand_over->on_done(ids(0), ids(0));
  EXPECT_EQ(open_connections, 0U);
  EXPECT_EQ(metric(Metric::kHandoverSent), 1U);
  run_until([&] { return true; });
  EXPECT_THAT(targets, ElementsAre("/before"));
  // The other worker takes over; here it is played by the same table without drain.
  context().drain = Drain::kNone;
  connections()
      .open(taken, {"192.0.2.7", 4711}, 0, Connection::Start::kHttp, 1, true)
      ->begin_idle();
  run_until_received(client, "/after");
  EXPECT_THAT(client.received, EndsWith("/after"));
  EXPECT_FALSE(client.closed);
}

TEST_F(Successor, WhatItRefusedIsServedHereAndSaysClose) {
  begin();
  Client& client = connect_and_ask();
  drain();
  run_until([&] { return !batches.empty(); });
  batches[0].clear();
  hand_over->on_done({1}, {});
  EXPECT_EQ(metric(Metric::kHandoverKept), 1U);
  client.send(get("/after"));
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
  EXPECT_THAT(client.received, EndsWith("/after"));
  EXPECT_THAT(batches, SizeIs(1)) << "offered once";
}

TEST_F(Successor, GetsBatchesOfSixtyFourOneAtATime) {
  max_connections = 200;
  begin();
  for (int i = 0; i < 150; ++i) connect_and_ask();
  drain();
  run_until([&] { return !batches.empty(); });
  EXPECT_THAT(batches[0], SizeIs(64));
  bool turned = false;
  loop->post([&] { turned = true; });
  run_until([&] { return turned; });
  EXPECT_THAT(batches, SizeIs(1)) << "the next waits for the answer";
  hand_over->on_done(ids(0), ids(0));
  run_until([&] { return batches.size() == 2; });
  hand_over->on_done(ids(1), ids(1));
  run_until([&] { return batches.size() == 3; });
  EXPECT_THAT(batches[2], SizeIs(22));
  hand_over->on_done(ids(2), ids(2));
  EXPECT_EQ(open_connections, 0U);
}

TEST_F(Successor, GetsAConnectionWhenItsAnswerIsOut) {
  http::Exchange* waiting = nullptr;
  begin();
  Client& client = connect();
  // The head is out before the drain begins, so it cannot say close.
  answer = [&](http::Exchange& exchange) { waiting = &exchange; };
  client.send(get("/"));
  run_until([&] { return waiting != nullptr; });
  drain();
  EXPECT_THAT(batches, IsEmpty());
  context().drain = Drain::kNone;
  waiting->respond(text_answer("done"));
  run_until_received(client, "done");
  drain();
  run_until([&] { return !batches.empty(); });
  EXPECT_THAT(batches[0], SizeIs(1));
}

TEST_F(Successor, GetsAConnectionThatHasNotAskedYet) {
  begin();
  connect();
  drain();
  run_until([&] { return !batches.empty(); });
  EXPECT_EQ(batches[0][0].requests, 0U);
}

TEST_F(Successor, ThatRefusesAConnectionThatHasNotAskedLeavesItItsTime) {
  begin();
  Client& client = connect();
  drain();
  run_until([&] { return !batches.empty(); });
  const auto offered = ids(0);
  batches[0].clear();
  hand_over->on_done(offered, {});
  EXPECT_EQ(connection->waiting(), Waiting::kFirstByte) << "not the grace";
  client.send(get("/first"));
  run_until_closed(client);
  EXPECT_THAT(client.received, EndsWith("/first"));
}

TEST_F(Successor, IsNotOfferedWhatClosedMeanwhile) {
  begin();
  Client& client = connect_and_ask();
  Client& other = connect_and_ask();
  drain();
  client.close();
  connection->cut();
  run_until([&] { return !batches.empty() || open_connections == 0; });
  std::size_t offered = 0;
  for (const auto& batch : batches) offered += batch.size();
  EXPECT_LE(offered, 1U);
  (void)other;
}

TEST_F(Successor, ThatIsGoneLeavesThemHere) {
  begin();
  Client& client = connect_and_ask();
  drain();
  run_until([&] { return !batches.empty(); });
  batches[0].clear();
  context().drain = Drain::kAtOnce;
  hand_over->cancel();
  connections().drain();
  run_until_closed(client);
  EXPECT_TRUE(client.closed);
  hand_over->on_done({1}, {1});  // a late word changes nothing
}

TEST_F(Successor, CutWhileOnOfferIsForgotten) {
  begin();
  connect_and_ask();
  drain();
  run_until([&] { return !batches.empty(); });
  connections().cut_all();
  EXPECT_EQ(open_connections, 0U);
  hand_over->on_done(ids(0), ids(0));
}

}  // namespace
}  // namespace servery::transport
