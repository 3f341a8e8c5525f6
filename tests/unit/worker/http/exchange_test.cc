#include "worker/http/exchange.h"

#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/http/error_response.h"

namespace servery::http {
namespace {

using State = Exchange::State;
using End = Exchange::End;

class TextSource final : public BodySource {
 public:
  explicit TextSource(std::optional<std::uint64_t> length) : length_(length) {}
  void set_waiter(SourceWaiter*) override {}
  std::optional<std::uint64_t> length() const override { return length_; }
  Pull pull(std::span<char>) override { return {}; }

 private:
  std::optional<std::uint64_t> length_;
};

class Machine : public testing::Test,
                protected ResponseTransport,
                protected RequestTarget,
                protected ExchangeObserver {
 protected:
  Exchange exchange{*this, facts};
  TransportFacts facts;
  std::function<void()> handler = [] {};
  std::optional<ResponseHead> head;
  PreparedRef prepared;
  bool body_started = false;
  std::vector<End> ends;

  void start() { exchange.start(*this, SteadyTime{}); }
  void sent(std::uint64_t bytes = 0) { exchange.on_response_sent(bytes, this); }
  void lost(End end) { exchange.on_transport_lost(end, 0, this); }

 private:
  void run(Exchange&) override { handler(); }
  void send_response(Exchange&, ResponseHead response, std::unique_ptr<BodySource>) override {
    head = std::move(response);
  }
  void send_prepared(Exchange&, const PreparedRef& response) override { prepared = response; }
  void start_body(Exchange&) override { body_started = true; }
  void resume_body(Exchange&) override {}
  void on_exchange_done(const Exchange& done) override { ends.push_back(done.end()); }
};

TEST_F(Machine, WalksFromIdleToDoneAndAgain) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(exchange.state(), State::kIdle);
    start();
    EXPECT_EQ(exchange.state(), State::kHandling);
    exchange.respond({204, {}}, nullptr);
    EXPECT_EQ(exchange.state(), State::kResponding);
    sent(7);
    EXPECT_EQ(exchange.state(), State::kDone);
    EXPECT_EQ(exchange.status(), 204);
    EXPECT_EQ(exchange.body_bytes_sent(), 7U);
    exchange.reset();
  }
  EXPECT_THAT(ends, testing::ElementsAre(End::kCompleted, End::kCompleted));
}

TEST_F(Machine, TellsTheObserverOnce) {
  start();
  exchange.respond({200, {}}, nullptr);
  lost(End::kClientGone);
  lost(End::kAborted);
  EXPECT_THAT(ends, testing::ElementsAre(End::kClientGone));
}

TEST_F(Machine, AnIdleOneHasNothingToLose) {
  lost(End::kClientGone);
  EXPECT_TRUE(ends.empty());
  EXPECT_EQ(exchange.state(), State::kIdle);
}

TEST_F(Machine, ContentLengthIsTheBodys) {
  start();
  exchange.respond({200, {}}, std::make_unique<TextSource>(42));
  EXPECT_EQ(*head->fields.find(FieldId::kContentLength), "42");
}

TEST_F(Machine, NoBodyIsLengthZeroWhereABodyBelongs) {
  start();
  exchange.respond({200, {}}, nullptr);
  EXPECT_EQ(*head->fields.find(FieldId::kContentLength), "0");
}

TEST_F(Machine, UnknownLengthHasNoField) {
  start();
  exchange.respond({200, {}}, std::make_unique<TextSource>(std::nullopt));
  EXPECT_EQ(head->fields.find(FieldId::kContentLength), nullptr);
}

TEST_F(Machine, NoContentHasNoLength) {  // RFC 9110 8.6
  start();
  exchange.respond({204, {}}, nullptr);
  EXPECT_EQ(head->fields.find(FieldId::kContentLength), nullptr);
}

TEST_F(Machine, ThePolicyAppliesToEveryAnswerThatIsMadeHere) {
  HeaderPolicy policy;
  policy.set.push_back({"x-mark", "1"});
  start();
  exchange.set_header_policy(&policy);
  exchange.respond({200, {}}, nullptr);
  EXPECT_EQ(*head->fields.find("x-mark"), "1");
}

TEST_F(Machine, ErrorsCarryThePolicyAndTheirReason) {
  HeaderPolicy policy;
  policy.set.push_back({"x-mark", "1"});
  start();
  exchange.set_header_policy(&policy);
  exchange.respond_error({404, "no_route"});
  ASSERT_NE(prepared, nullptr);
  EXPECT_EQ(prepared->status, 404);
  EXPECT_EQ(*prepared->fields.find("x-mark"), "1");
  EXPECT_EQ(exchange.reason(), "no_route");
  sent();
  exchange.reset();
  EXPECT_EQ(exchange.reason(), "");
  EXPECT_EQ(exchange.header_policy(), nullptr);
}

TEST_F(Machine, ARefusedHeadIsAnsweredLikeAnyOther) {
  exchange.refuse({400, "bad"}, SteadyTime{});
  EXPECT_EQ(prepared->status, 400);
  EXPECT_EQ(exchange.state(), State::kResponding);
}

struct Task final : ExchangeTask {
  explicit Task(bool& flag) : gone(flag) {}
  ~Task() override { gone = true; }
  bool& gone;
};

TEST_F(Machine, TheTaskLivesUntilTheEnd) {
  bool gone = false;
  start();
  exchange.set_task(std::make_unique<Task>(gone));
  exchange.respond({200, {}}, nullptr);
  EXPECT_FALSE(gone);
  sent();
  EXPECT_TRUE(gone);
}

TEST_F(Machine, ATaskSetAfterTheEndIsDropped) {
  bool gone = false;
  handler = [&] {
    exchange.respond({200, {}}, nullptr);
    sent();
    exchange.set_task(std::make_unique<Task>(gone));
  };
  start();
  EXPECT_TRUE(gone);
}

struct Sink final : BodySink {
  bool on_bytes(std::span<const char>) override { return true; }
  void on_end() override { ++ends; }
  void on_abort(const Error&) override { ++aborts; }
  int ends = 0;
  int aborts = 0;
};

TEST_F(Machine, TheSinkHearsOneLastCall) {
  Sink sink;
  start();
  exchange.read_body(sink);
  EXPECT_TRUE(body_started);
  exchange.end_body();
  exchange.end_body();
  exchange.abort_body({Errc::kClosed, ""});
  EXPECT_EQ(sink.ends, 1);
  EXPECT_EQ(sink.aborts, 0);
}

TEST_F(Machine, TheSinkIsForgottenWithTheExchange) {
  Sink sink;
  start();
  exchange.read_body(sink);
  lost(End::kClientGone);
  EXPECT_EQ(exchange.body_sink(), nullptr);
  exchange.abort_body({Errc::kClosed, ""});
  EXPECT_EQ(sink.aborts, 0);
}

TEST_F(Machine, AForwardedClientIsThatOfOneRequest) {
  std::string block = "host.example, Client.Example.:80";
  const std::string_view text = block;
  exchange.mutable_request().host = text.substr(0, 12);
  exchange.mutable_request().authority = text.substr(0, 12);
  EXPECT_EQ(exchange.proxy_host(), "");
  std::string address = "2001:db8:1111:2222:3333:4444:5555:6666";
  exchange.set_forwarded(address, "https");
  exchange.set_forwarded_host(text.substr(14), text.substr(14, 15));
  address.assign(address.size(), 'x');
  exchange.retain_head(block.data(), block.size());
  block.assign(block.size(), 'x');
  EXPECT_EQ(exchange.client_address(), "2001:db8:1111:2222:3333:4444:5555:6666");
  EXPECT_EQ(exchange.scheme(), "https");
  EXPECT_EQ(exchange.request().host, "client.example");
  EXPECT_EQ(exchange.request().authority, "Client.Example.:80");
  EXPECT_EQ(exchange.proxy_host(), "host.example");
  exchange.reset();
  EXPECT_FALSE(exchange.is_forwarded());
  EXPECT_EQ(exchange.client_address(), exchange.facts().peer);
  EXPECT_EQ(exchange.scheme(), exchange.facts().scheme);
  EXPECT_EQ(exchange.proxy_host(), "");
}

TEST_F(Machine, RetainedHeadOutlivesItsBuffer) {
  std::string block = "GET /path?q=1 HTTP/1.1\r\nhost: name\r\n\r\n";
  RequestHead& request = exchange.mutable_request();
  const std::string_view text = block;
  request.target = text.substr(4, 9);
  request.path = text.substr(4, 5);
  request.query = text.substr(10, 3);
  request.host = "literal";  // not in the block: stays
  request.fields.clear();
  request.fields.add({FieldId::kHost, text.substr(24, 4), text.substr(30, 4)});
  exchange.retain_head(block.data(), block.size());
  block.assign(block.size(), 'x');
  EXPECT_EQ(request.target, "/path?q=1");
  EXPECT_EQ(request.path, "/path");
  EXPECT_EQ(request.query, "q=1");
  EXPECT_EQ(request.host, "literal");
  EXPECT_EQ(request.fields.find(FieldId::kHost)->name, "host");
  EXPECT_EQ(request.fields.find(FieldId::kHost)->value, "name");
}

}  // namespace
}  // namespace servery::http
