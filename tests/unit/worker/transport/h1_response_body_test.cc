// Response bodies on a real socket: large, slow, chunked, broken, and many connections at once.
#include <gmock/gmock.h>

#include "h1_fixture.h"
#include "worker/body/memory_source.h"

namespace servery::transport {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using End = http::Exchange::End;
using Pull = http::BodySource::Pull;
using State = http::BodySource::State;

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n\r\n";
}

// Gives what a test tells it to.
class ScriptedSource final : public http::BodySource {
 public:
  struct Script {
    std::optional<std::uint64_t> length;
    std::function<Pull(std::span<char>)> pull;
    http::SourceWaiter* waiter = nullptr;
    bool gone = false;
  };
  explicit ScriptedSource(Script& script) : script_(script) {}
  ~ScriptedSource() override { script_.gone = true; }
  void set_waiter(http::SourceWaiter* waiter) override { script_.waiter = waiter; }
  std::optional<std::uint64_t> length() const override { return script_.length; }
  Pull pull(std::span<char> into) override { return script_.pull(into); }

 private:
  Script& script_;
};

Pull give(std::span<char> into, std::string_view text) {
  text.copy(into.data(), into.size());
  return {State::kBytes, text.size()};
}

class H1ResponseBody : public H1Test {
 protected:
  void answer_scripted() {
    answer = [this](http::Exchange& exchange) {
      exchange.respond({200, {}}, std::make_unique<ScriptedSource>(script));
    };
  }
  static std::string pattern(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i * 31 % 26);
    return text;
  }
  ScriptedSource::Script script;
};

TEST_F(H1ResponseBody, LargePreparedBodyArrivesWholeAndTheNextAnswerAfterIt) {
  const std::string large = pattern(700'000);
  answer = [&](http::Exchange& exchange) {
    exchange.respond(text_answer(exchange.request().path == "/large" ? large : "small"));
  };
  Client& client = connect(4096);
  client.send(get("/small") + get("/large") + get("/small"));
  run_until_received(client, "small");
  run_until([&] { return ends.size() == 3 && client.received.ends_with("small"); });
  EXPECT_TRUE(client.received.find(large + "HTTP/1.1 200") != std::string::npos);
  EXPECT_TRUE(connection->is_idle());
}

TEST_F(H1ResponseBody, LargeSourceIsTakenBackNotCopied) {
  const std::string large = pattern(1'500'000);
  answer = [&](http::Exchange& exchange) {
    exchange.respond({200, {}}, std::make_unique<body::MemorySource>(large));
  };
  Client& client = connect(4096);
  client.send(get("/"));
  run_until([&] { return ends.size() == 1; });
  run_until([&] { return client.received.size() > large.size() && connection->is_idle(); });
  EXPECT_TRUE(client.received.ends_with(large));
  EXPECT_EQ(body_bytes, large.size());
}

TEST_F(H1ResponseBody, UnknownLengthIsChunked) {
  int pulls = 0;
  script.pull = [&](std::span<char> into) {
    ++pulls;
    return pulls == 1 ? give(into, "hello") : pulls == 2 ? give(into, " world") : Pull{};
  };
  answer_scripted();
  Client& client = connect();
  client.send(get("/"));
  run_until_received(client, "0\r\n\r\n");
  EXPECT_THAT(client.received, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(client.received, EndsWith("\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"));
  EXPECT_TRUE(connection->is_idle());
}

TEST_F(H1ResponseBody, LargeChunkedBodyArrivesWhole) {
  const std::string piece = pattern(200'000);
  int left = 20;
  script.pull = [&](std::span<char> into) {
    if (left-- == 0) return Pull{};
    return give(into, std::string_view(piece).substr(0, std::min(piece.size(), into.size())));
  };
  answer_scripted();
  Client& client = connect(4096);
  client.send(get("/"));
  run_until_received(client, "\r\n0\r\n\r\n");
  // Decoded by hand.
  std::size_t at = client.received.find("\r\n\r\n") + 4;
  std::size_t total = 0;
  while (true) {
    const std::size_t size = std::stoul(client.received.substr(at), nullptr, 16);
    if (size == 0) break;
    at = client.received.find("\r\n", at) + 2;
    ASSERT_TRUE(client.received.compare(at, size, piece, 0, size) == 0);
    total += size;
    at += size + 2;
  }
  EXPECT_EQ(total, body_bytes);
  EXPECT_GT(total, 1'000'000U);
}

TEST_F(H1ResponseBody, Http10GetsAnUnknownLengthUntilTheEnd) {
  bool given = false;
  script.pull = [&](std::span<char> into) {
    return std::exchange(given, true) ? Pull{} : give(into, "hello");
  };
  answer_scripted();
  Client& client = connect();
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  run_until_closed(client);
  EXPECT_THAT(client.received, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(client.received, EndsWith("\r\n\r\nhello"));
}

TEST_F(H1ResponseBody, WaitsForItsSource) {
  bool ready = false;
  script.length = 5;
  script.pull = [&](std::span<char> into) {
    return ready ? give(into, "hello") : Pull{State::kPending, 0};
  };
  answer_scripted();
  Client& client = connect();
  client.send(get("/") + get("/"));
  run_until_received(client, "\r\n\r\n");
  EXPECT_EQ(connection->waiting(), Waiting::kHandler);
  ready = true;
  script.waiter->on_source_ready();
  run_until([&] { return ends.size() == 2; });
  run_until_received(client, "hello");
  EXPECT_THAT(statuses(client), ElementsAre("200", "200"));
}

TEST_F(H1ResponseBody, BrokenSourceEndsTheConnectionAbruptly) {
  int pulls = 0;
  script.length = 10;
  script.pull = [&](std::span<char> into) {
    return ++pulls == 1 ? give(into, "hello") : Pull{State::kError, 0};
  };
  answer_scripted();
  Client& client = connect();
  client.send(get("/") + get("/never"));
  run_until_closed(client);
  EXPECT_THAT(ends, ElementsAre(End::kAborted));
  EXPECT_THAT(targets, ElementsAre("/"));
  EXPECT_EQ(metric(Metric::kResponsesAborted), 1U);
}

TEST_F(H1ResponseBody, SourceThatGivesTooLittleIsBroken) {
  bool given = false;
  script.length = 10;
  script.pull = [&](std::span<char> into) {
    return std::exchange(given, true) ? Pull{} : give(into, "hello");
  };
  answer_scripted();
  Client& client = connect();
  client.send(get("/"));
  run_until_closed(client);
  EXPECT_THAT(ends, ElementsAre(End::kAborted));
}

TEST_F(H1ResponseBody, SourceIsCancelledWhenTheClientLeaves) {
  script.length = 5;
  script.pull = [](std::span<char>) { return Pull{State::kPending, 0}; };
  answer_scripted();
  Client& client = connect();
  client.send(get("/"));
  run_until_received(client, "\r\n\r\n");
  connection->cut();
  EXPECT_TRUE(script.gone);
}

TEST_F(H1ResponseBody, OneTurnGivesOneConnectionItsShare) {
  // A client that takes everything at once: without a quota one turn would send it all.
  std::uint64_t turn = 0;
  std::size_t in_turn = 0;
  std::size_t most_in_turn = 0;
  std::size_t left = 16U << 20;
  script.length = left;
  script.pull = [&](std::span<char> into) {
    if (turn != loop->turn()) {
      turn = loop->turn();
      in_turn = 0;
    }
    const std::size_t n = std::min(into.size(), left);
    left -= n;
    in_turn += n;
    most_in_turn = std::max(most_in_turn, in_turn);
    return Pull{State::kBytes, n};
  };
  answer_scripted();
  Client& client = connect(4 << 20);
  client.send(get("/"));
  run_until([&] { return ends.size() == 1; });
  EXPECT_LE(most_in_turn, 1U << 20);
  EXPECT_EQ(left, 0U);
}

TEST_F(H1ResponseBody, SmallRequestsAreAnsweredBesideALargeTransfer) {
  const std::string large = pattern(1'500'000);
  answer = [&](http::Exchange& exchange) {
    if (exchange.request().path == "/large") {
      exchange.respond({200, {}}, std::make_unique<body::MemorySource>(large));
    } else {
      exchange.respond(text_answer("small"));
    }
  };
  Client& slow = connect(4096);
  slow.read(false);
  slow.send(get("/large"));
  Client& client = connect();
  client.send(get("/small"));
  run_until_received(client, "small");
  EXPECT_THAT(client.received, EndsWith("small"));
  slow.read(true);
  run_until([&] { return ends.size() == 2 && slow.received.size() > large.size(); });
  EXPECT_TRUE(slow.received.ends_with(large));
}

TEST_F(H1ResponseBody, HeadOfASourceIsNeverPulled) {
  script.length = 5;
  script.pull = [](std::span<char>) {
    ADD_FAILURE();
    return Pull{};
  };
  answer_scripted();
  Client& client = connect();
  client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  run_until_received(client, "\r\n\r\n");
  EXPECT_THAT(client.received, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_TRUE(script.gone);
}

}  // namespace
}  // namespace servery::transport
