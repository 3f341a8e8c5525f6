// HTTP/1 on real sockets: what is asked is answered, in order, in one write, and no answer is lost.
#include "worker/transport/h1_protocol.h"

#include <gmock/gmock.h>

#include "h1_fixture.h"
#include "worker/body/discard_task.h"
#include "worker/body/memory_source.h"

namespace servery::transport {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using End = http::Exchange::End;

std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

using H1Request = H1Test;

TEST_F(H1Request, KeepsTheConnectionForTheNext) {
  Client& client = connect();
  client.send(get("/one"));
  run_until_received(client, "/one");
  EXPECT_THAT(client.received, HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(client.received, HasSubstr("Date: "));
  EXPECT_THAT(client.received, Not(HasSubstr("Connection:")));
  EXPECT_TRUE(connection->is_idle());
  client.send(get("/two"));
  run_until_received(client, "/two");
  EXPECT_THAT(ends, ElementsAre(End::kCompleted, End::kCompleted));
  EXPECT_EQ(connection->requests(), 2U);
}

TEST_F(H1Request, IsReadWholeHoweverItIsCut) {
  const std::string text = get("/cut?x=1", "X-Long: some value here\r\nAccept: */*\r\n");
  for (std::size_t at = 1; at < text.size(); ++at) {
    Client& client = connect();
    client.send(text.substr(0, at));
    run_until([&] { return connection->waiting() == Waiting::kHead || at <= 2; });
    client.send(text.substr(at));
    run_until_received(client, "/cut");
    ASSERT_THAT(client.received, EndsWith("/cut")) << "cut at " << at;
    client.close();
    run_until([&] { return open_connections == 0; });
  }
}

TEST_F(H1Request, PipelinedAnswersLeaveInOneWriteInOrder) {
  Client& client = connect();
  std::string text;
  for (int i = 0; i < 50; ++i) text += get("/" + std::to_string(i));
  client.send(text);
  // One turn of the loop reads them all; the client's one read sees all answers.
  run_until([&] { return !client.received.empty(); });
  EXPECT_THAT(statuses(client), SizeIs(50));
  EXPECT_THAT(client.received, EndsWith("/49"));
  EXPECT_EQ(targets.front(), "/0");
  EXPECT_EQ(targets.back(), "/49");
}

TEST_F(H1Request, PipelinedTailIsKeptForItsRest) {
  Client& client = connect();
  const std::string second = get("/second");
  client.send(get("/first") + second.substr(0, 10));
  run_until_received(client, "/first");
  client.send(second.substr(10));
  run_until_received(client, "/second");
  EXPECT_THAT(targets, ElementsAre("/first", "/second"));
}

TEST_F(H1Request, CloseIsHeededWithoutLingering) {
  Client& client = connect();
  client.send(get("/", "Connection: close\r\n"));
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(client.closed);
  EXPECT_EQ(open_connections, 0U);
}

TEST_F(H1Request, Http10EndsUnlessItAsksToStay) {
  Client& client = connect();
  client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  run_until_received(client, "/a");
  EXPECT_THAT(client.received, HasSubstr("Connection: keep-alive\r\n"));
  client.send("GET /b HTTP/1.0\r\n\r\n");
  run_until_closed(client);
  EXPECT_THAT(client.received, EndsWith("/b"));
}

TEST_F(H1Request, HeadHasNoBody) {
  answer = [](http::Exchange& exchange) {
    exchange.respond({200, {}}, std::make_unique<body::MemorySource>(std::string("12345")));
  };
  Client& client = connect();
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  run_until_received(client, "\r\n\r\n");
  EXPECT_THAT(client.received, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(client.received, EndsWith("\r\n\r\n"));
  EXPECT_TRUE(connection->is_idle());
}

TEST_F(H1Request, LastOfTheAllowedNumberSaysSo) {
  limits.requests_per_connection = 2;
  Client& client = connect();
  client.send(get("/1"));
  run_until_received(client, "/1");
  EXPECT_THAT(client.received, Not(HasSubstr("Connection: close")));
  client.send(get("/2"));
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
  EXPECT_THAT(client.received, EndsWith("/2"));
}

TEST_F(H1Request, BrokenHeadIsAnsweredAndEndsTheConnection) {
  Client& client = connect();
  client.send(get("/ok") + "GET / HTTP/1.1\r\nbroken field\r\n\r\n" + get("/never"));
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("200", "400"));
  EXPECT_THAT(targets, ElementsAre("/ok"));
  EXPECT_FALSE(client.failed);
  EXPECT_EQ(metric(Metric::kMalformedRequests), 1U);
}

TEST_F(H1Request, HeadOverTheLimitIs431AndItsSenderGetsToReadIt) {
  limits.head.header_bytes = 1024;
  Client& client = connect();
  client.send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(60'000, 'x'));
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("431"));
  EXPECT_FALSE(client.failed);
}

TEST_F(H1Request, ViewsStayValidWhileItsAnswerIsAwaited) {
  http::Exchange* waiting = nullptr;
  answer = [&](http::Exchange& exchange) { waiting = &exchange; };
  Client& client = connect();
  client.send(get("/slow", "X-Mark: kept\r\n") + get("/next"));
  run_until([&] { return waiting != nullptr; });
  // The read buffer is used by another connection meanwhile.
  answer = [](http::Exchange& exchange) { exchange.respond(text_answer("other")); };
  Client& other = connect();
  other.send(get("/other", "X-Mark: 12345678901234567890\r\n"));
  run_until_received(other, "other");
  EXPECT_EQ(waiting->request().target, "/slow");
  EXPECT_EQ(waiting->request().fields.find("x-mark")->value, "kept");
  answer = [](http::Exchange& exchange) { exchange.respond(text_answer("after")); };
  waiting->respond(text_answer("done"));
  run_until_received(client, "after");
  EXPECT_THAT(targets, ElementsAre("/slow", "/other", "/next"));
}

TEST_F(H1Request, ClientThatLeavesEndsTheTask) {
  struct Task final : http::ExchangeTask {
    explicit Task(bool& g) : gone(g) {}
    ~Task() override { gone = true; }
    bool& gone;
  };
  bool gone = false;
  bool begun = false;
  answer = [&](http::Exchange& exchange) {
    begun = true;
    exchange.set_task(std::make_unique<Task>(gone));
  };
  Client& client = connect();
  client.send(get("/"));
  run_until([&] { return begun; });
  connection->cut();
  EXPECT_TRUE(gone);
  EXPECT_THAT(ends, ElementsAre(End::kClientGone));
  client.close();
}

TEST_F(H1Request, HalfClosedClientGetsItsAnswers) {
  Client& client = connect();
  client.send(get("/1") + get("/2"));
  client.finish();
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("200", "200"));
  EXPECT_EQ(open_connections, 0U);
}

TEST_F(H1Request, HalfClosedClientGetsALateAnswer) {
  http::Exchange* waiting = nullptr;
  answer = [&](http::Exchange& exchange) { waiting = &exchange; };
  Client& client = connect();
  client.send(get("/"));
  run_until([&] { return waiting != nullptr; });
  client.finish();
  loop->post([&] { waiting->respond(text_answer("late")); });
  run_until_closed(client);
  EXPECT_THAT(client.received, EndsWith("late"));
}

// ---- request bodies ----

class Collect final : public http::BodySink {
 public:
  bool on_bytes(std::span<const char> bytes) override {
    text.append(bytes.data(), bytes.size());
    return !pauses;
  }
  void on_end() override {
    ended = true;
    if (exchange != nullptr) exchange->respond(text_answer("got " + text));
  }
  void on_abort(const Error& error) override { aborted = error.code; }

  http::Exchange* exchange = nullptr;
  std::string text;
  bool pauses = false;
  bool ended = false;
  std::optional<Errc> aborted;
};

class H1Body : public H1Test {
 protected:
  H1Body() {
    answer = [this](http::Exchange& exchange) {
      sink.exchange = &exchange;
      exchange.read_body(sink);
    };
  }
  Collect sink;
};

TEST_F(H1Body, CountedBodyIsReadHoweverItIsCut) {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" + get("/n");
  for (std::size_t at = 1; at < text.size(); ++at) {
    sink = {};
    Client& client = connect();
    client.send(text.substr(0, at));
    loop->post([&] { client.send(text.substr(at)); });
    run_until([&] { return statuses(client).size() == 2; });
    ASSERT_THAT(client.received, HasSubstr("got hello")) << "cut at " << at;
    client.close();
    run_until([&] { return open_connections == 0; });
  }
}

TEST_F(H1Body, ChunkedBodyIsDecoded) {
  Client& client = connect();
  client.send(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
  run_until_received(client, "got hello world");
  EXPECT_TRUE(connection->is_idle());
}

TEST_F(H1Body, ContinueIsSentWhenTheHandlerWantsTheBody) {
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  run_until_received(client, "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  run_until_received(client, "got ok");
  EXPECT_THAT(statuses(client), ElementsAre("100", "200"));
}

TEST_F(H1Body, RefusalInsteadOfContinueEndsTheConnection) {
  answer = [](http::Exchange& exchange) { exchange.respond_error({403, "test"}); };
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("403"));
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
}

TEST_F(H1Body, PausedSinkStopsTheReading) {
  sink.pauses = true;
  Client& client = connect();
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n";
  client.send(head + std::string(100'000, 'x'));
  run_until([&] { return !sink.text.empty(); });
  const std::size_t taken = sink.text.size();
  bool turned = false;
  loop->post([&] { turned = true; });
  run_until([&] { return turned; });
  EXPECT_EQ(sink.text.size(), taken);
  EXPECT_LT(taken, 100'000U);
  sink.pauses = false;
  sink.exchange->resume_body();
  run_until([&] { return sink.text.size() == 100'000; });
  client.send(std::string(200'000, 'y'));
  run_until([&] { return sink.ended; });
  EXPECT_EQ(sink.text.size(), 300'000U);
}

TEST_F(H1Body, UnreadSmallBodyIsSkipped) {
  answer = [](http::Exchange& exchange) {
    exchange.respond(text_answer(std::string(exchange.request().path)));
  };
  Client& client = connect();
  client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel");
  run_until_received(client, "/a");
  client.send("lo" + get("/b"));
  run_until_received(client, "/b");
  EXPECT_THAT(targets, ElementsAre("/a", "/b"));
  client.send(
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
      get("/d"));
  run_until_received(client, "/d");
  EXPECT_THAT(targets, ElementsAre("/a", "/b", "/c", "/d"));
}

TEST_F(H1Body, UnreadLargeBodyEndsTheConnectionAndTheAnswerArrives) {
  answer = [](http::Exchange& exchange) { exchange.respond_error({413, "test"}); };
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n" +
              std::string(50'000, 'x'));
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("413"));
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
  client.send(std::string(50'000, 'x'));  // still sending: no RST may come
  bool turned = false;
  loop->post([&] { turned = true; });
  run_until([&] { return turned; });
  EXPECT_FALSE(client.failed);
  EXPECT_EQ(open_connections, 1U);  // lingering
  client.close();
  run_until([&] { return open_connections == 0; });
}

TEST_F(H1Body, ChunkedBodyOverTheRoutesLimitIs413) {
  answer = [this](http::Exchange& exchange) {
    exchange.set_body_limit(4);
    exchange.read_body(sink);
  };
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("413"));
  EXPECT_EQ(sink.aborted, Errc::kTooLarge);
}

TEST_F(H1Body, BrokenChunkIs400) {
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("400"));
  EXPECT_EQ(sink.aborted, Errc::kInvalid);
  EXPECT_FALSE(sink.ended);
}

TEST_F(H1Body, ClientThatLeavesInTheMiddleIsForgotten) {
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  run_until([&] { return sink.text == "he"; });
  client.finish();
  run_until([&] { return open_connections == 0; });
  EXPECT_FALSE(sink.ended);
  EXPECT_THAT(ends, ElementsAre(End::kClientGone));
}

TEST_F(H1Body, DiscardTaskAnswersAtTheEnd) {
  answer = [](http::Exchange& exchange) { body::DiscardTask::run(exchange, text_answer("all")); };
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  run_until([&] { return connection->waiting() == Waiting::kBody; });
  EXPECT_EQ(client.received, "");
  client.send("llo" + get("/"));
  run_until([&] { return statuses(client).size() == 2; });
  EXPECT_THAT(client.received, EndsWith("all"));
}

// ---- deadlines ----

class H1Deadline : public H1Test {
 protected:
  H1Deadline() {
    limits.header_timeout = Milliseconds{1};
    limits.body_timeout = Milliseconds{1};
    limits.write_timeout = Milliseconds{1};
    limits.keepalive_timeout = Milliseconds{1};
  }
};

TEST_F(H1Deadline, SilentClientIsClosedSilently) {
  Client& client = connect();
  run_until_closed(client);
  EXPECT_EQ(client.received, "");
  EXPECT_EQ(metric(Metric::kTimeoutHeader), 1U);
}

TEST_F(H1Deadline, BegunHeadIs408) {
  Client& client = connect();
  client.send("G");
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("408"));
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
}

TEST_F(H1Deadline, StalledBodyIs408) {
  Collect sink;
  answer = [&](http::Exchange& exchange) { exchange.read_body(sink); };
  Client& client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe");
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("408"));
  EXPECT_TRUE(sink.aborted.has_value());
  EXPECT_EQ(metric(Metric::kTimeoutBody), 1U);
}

TEST_F(H1Deadline, IdleConnectionEndsWithFin) {
  Client& client = connect();
  client.send(get("/"));
  run_until_closed(client);
  EXPECT_THAT(statuses(client), ElementsAre("200"));
  EXPECT_TRUE(client.closed);
  EXPECT_EQ(metric(Metric::kTimeoutKeepalive), 1U);
}

TEST_F(H1Deadline, ClientThatDoesNotReadIsCut) {
  answer = [](http::Exchange& exchange) {
    exchange.respond(text_answer(std::string(1024 * 1024, 'x')));
  };
  Client& client = connect(4096);
  client.read(false);
  client.send(get("/"));
  run_until([&] { return open_connections == 0; });
  EXPECT_EQ(metric(Metric::kTimeoutWrite), 1U);
}

TEST_F(H1Deadline, HandlerHasNone) {
  limits.header_timeout = Milliseconds{60'000};
  http::Exchange* waiting = nullptr;
  answer = [&](http::Exchange& exchange) { waiting = &exchange; };
  Client& client = connect();
  client.send(get("/"));
  run_until([&] { return waiting != nullptr; });
  Timer later(*loop, [&] { waiting->respond(text_answer("late")); });
  later.start_once(Deadlines::kTick * 3);
  run_until_received(client, "late");
  EXPECT_THAT(client.received, EndsWith("late"));
}

// ---- drain ----

using H1Drain = H1Test;

TEST_F(H1Drain, AnswerUnderWaySaysClose) {
  http::Exchange* waiting = nullptr;
  answer = [&](http::Exchange& exchange) { waiting = &exchange; };
  Client& client = connect();
  client.send(get("/"));
  run_until([&] { return waiting != nullptr; });
  context().drain = Drain::kAtOnce;
  connections().drain();
  waiting->respond(text_answer("last"));
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
  EXPECT_THAT(client.received, EndsWith("last"));
}

TEST_F(H1Drain, EveryRequestThatHasComeIsAnsweredAndTheLastSaysClose) {
  http::Exchange* first = nullptr;
  answer = [&](http::Exchange& exchange) {
    if (first != nullptr) return exchange.respond(text_answer("next"));
    first = &exchange;
  };
  Client& client = connect();
  client.send(get("/1") + get("/2") + get("/3"));
  run_until([&] { return first != nullptr; });
  context().drain = Drain::kAtOnce;
  connections().drain();
  first->respond(text_answer("first"));
  run_until_closed(client);
  const std::string& received = client.received;
  EXPECT_THAT(received, EndsWith("next"));
  EXPECT_GT(received.find("Connection: close"), received.find("next"));
  EXPECT_LT(received.find("next"), received.rfind("next"));
}

TEST_F(H1Drain, IdleConnectionEndsAtOnce) {
  Client& client = connect();
  client.send(get("/"));
  run_until_received(client, "/");
  context().drain = Drain::kAtOnce;
  connections().drain();
  run_until_closed(client);
  EXPECT_TRUE(client.closed);
}

TEST_F(H1Drain, ConnectionWithoutARequestIsStillAnswered) {
  Client& client = connect();
  context().drain = Drain::kAtOnce;
  connections().drain();
  client.send(get("/first"));
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close"));
  EXPECT_THAT(client.received, EndsWith("/first"));
}

TEST_F(H1Drain, DeadlineCutsWhateverGoesOn) {
  bool begun = false;
  answer = [&](http::Exchange&) { begun = true; };
  Client& client = connect();
  client.send(get("/"));
  run_until([&] { return begun; });
  connect();
  connections().cut_all();
  EXPECT_EQ(open_connections, 0U);
  run_until_closed(client);
  EXPECT_EQ(metric(Metric::kDrainForced), 2U);
}

}  // namespace
}  // namespace servery::transport
