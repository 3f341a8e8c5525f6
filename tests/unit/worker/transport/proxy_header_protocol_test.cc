// PROXY headers before requests, over a socket pair.
#include "worker/transport/proxy_header_protocol.h"

#include <gmock/gmock.h>

#include <string>

#include "h1_fixture.h"

namespace servery::transport {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kLine = "PROXY TCP6 2001:db8::1 ::1 4711 443\r\n";
const std::string kLocal = "\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00"s;
const std::string kRequest = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

class ProxyHeaderTest : public H1Test {
 protected:
  ProxyHeaderTest() {
    answer = [this](http::Exchange& exchange) {
      peers.push_back(std::string(exchange.facts().peer) + "/" +
                      std::to_string(exchange.facts().peer_port));
      exchange.respond(text_answer("ok"));
    };
  }
  Client& dial() { return connect(0, Connection::Start::kProxyHeader); }

  std::vector<std::string> peers;
};

TEST_F(ProxyHeaderTest, NamesThePeerOfEveryRequestBehindIt) {
  Client& client = dial();
  client.send(kLine + kRequest);
  run_until_received(client, "ok");
  client.send(kRequest + kRequest);
  run_until([&] { return peers.size() == 3; });
  EXPECT_THAT(peers, ElementsAre("2001:db8::1/4711", "2001:db8::1/4711", "2001:db8::1/4711"));
  EXPECT_EQ(connection->peer().text(), "2001:db8::1") << "as it is handed over";
  EXPECT_EQ(connection->requests(), 3U);
}

TEST_F(ProxyHeaderTest, InPieces) {
  Client& client = dial();
  const std::string whole = kLine + kRequest;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    client.send(whole.substr(n, 1));
    loop->post([this] { loop->stop(); });
    loop->run();
  }
  run_until_received(client, "ok");
  EXPECT_THAT(peers, ElementsAre("2001:db8::1/4711"));
}

TEST_F(ProxyHeaderTest, HeaderAloneThenTheRequest) {
  Client& client = dial();
  client.send(kLine);
  run_until([&] { return connection->is_idle(); });
  EXPECT_EQ(connection->waiting(), Waiting::kFirstByte);
  client.send(kRequest);
  run_until_received(client, "ok");
}

TEST_F(ProxyHeaderTest, WhoSpeaksForItselfIsThePeer) {
  Client& client = dial();
  client.send(kLocal + kRequest);
  run_until_received(client, "ok");
  EXPECT_THAT(peers, ElementsAre("192.0.2.7/4711"));
}

TEST_F(ProxyHeaderTest, WithoutARightHeaderItIsClosed) {
  for (const std::string& wrong : {kRequest, "PROXY TCP4 1.2.3.4\r\n"s, "\r\n\r\n\0\r\nQUIX"s}) {
    Client& client = dial();
    client.send(wrong);
    run_until_closed(client);
    EXPECT_THAT(client.received, IsEmpty());
  }
  EXPECT_THAT(targets, IsEmpty());
  EXPECT_EQ(metric(Metric::kProxyHeaderMalformed), 3U);
  EXPECT_EQ(open_connections, 0U);
}

TEST_F(ProxyHeaderTest, CutOffIsMalformedAndSilenceIsNot) {
  Client& cut = dial();
  cut.send(kLine.substr(0, 9));
  cut.finish();
  run_until_closed(cut);
  EXPECT_EQ(metric(Metric::kProxyHeaderMalformed), 1U);
  Client& silent = dial();
  silent.finish();
  run_until_closed(silent);
  EXPECT_EQ(metric(Metric::kProxyHeaderMalformed), 1U);
}

TEST_F(ProxyHeaderTest, HasTheHeaderDeadlineForHeaderAndHead) {
  limits.header_timeout = Milliseconds{150};
  Client& nothing = dial();
  run_until_closed(nothing);
  Client& part = dial();
  part.send(kLine.substr(0, 9));
  run_until_closed(part);
  Client& head = dial();
  head.send(kLine + "GET /");
  run_until_closed(head);
  EXPECT_THAT(statuses(head), ElementsAre("408"));
  EXPECT_EQ(metric(Metric::kTimeoutHeader), 3U);
  EXPECT_EQ(metric(Metric::kProxyHeaderMalformed), 0U);
}

TEST_F(ProxyHeaderTest, IsNotIdleBeforeItsHeaderAndDrainsBehindIt) {
  Client& client = dial();
  client.send(kLine.substr(0, 9));
  loop->post([this] { loop->stop(); });
  loop->run();
  EXPECT_FALSE(connection->is_idle());
  context().drain = Drain::kHandOver;
  connections().drain();
  client.send(kLine.substr(9) + kRequest);
  run_until_received(client, "ok");
  EXPECT_THAT(peers, ElementsAre("2001:db8::1/4711"));
}

TEST_F(ProxyHeaderTest, AStopGivesItAGrace) {
  Client& client = dial();
  context().drain = Drain::kAtOnce;
  connections().drain();
  EXPECT_EQ(connection->waiting(), Waiting::kGrace);
  client.send(kLine + kRequest);
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("200"));
}

}  // namespace
}  // namespace servery::transport
