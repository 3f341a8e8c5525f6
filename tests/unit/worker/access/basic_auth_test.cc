// The stage, the guard and the verifier behind them, with a real loop and cheap hashes.
#include "worker/access/basic_auth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/support/fake_transport.h"
#include "worker/http/error_response.h"

namespace servery::access {
namespace {

using http::Right;
using test::FakeExchange;
using test::RequestText;

constexpr const char* kAlice = "Basic YWxpY2U6YTpi";       // alice, a:b
constexpr const char* kAliceWrong = "Basic YWxpY2U6YTpj";  // alice, a:c
constexpr const char* kBob = "Basic Ym9iOmI=";             // bob, b
constexpr const char* kNobody = "Basic bm9ib2R5OmI=";      // nobody, b

constexpr const char* kAliceHash =
    "$5$rounds=1000$saltsaltsalt$bX7hO8Gj0IQniZaa6trhk3FX/8XXEhjuK/LFENbJV/5";
constexpr const char* kBobHash =
    "$5$rounds=1000$saltsaltsalt$N0qO1StI1GmgbrBh8jNNGKF604lJo4Wyzjoy04Hl19D";

// What a pipeline does with a stage.
class OneRoute final : public http::RequestTarget {
 public:
  explicit OneRoute(routing::Stage& stage) : stage_(stage) {}
  void run(http::Exchange& exchange) override {
    ++runs;
    if (stage_.check(exchange, {}) == routing::Stage::Verdict::kAnswered) return;
    rights = exchange.access().rights;
    exchange.respond({200, {}}, nullptr);
  }
  int runs = 0;
  http::RightSet rights;

 private:
  routing::Stage& stage_;
};

class BasicAuthTest : public testing::Test, private TurnHook {
 protected:
  BasicAuthTest()
      : loop(std::move(*Loop::create())), verifier(std::move(*Verifier::create(*loop))) {
    std::vector<HtpasswdUser> users;
    users.push_back({"alice", kAliceHash, {}});
    users.push_back({"bob", kBobHash, {}});
    Grants grants;
    grants[static_cast<std::size_t>(Right::kCreate)] = {Grant::To::kNamed, {"alice"}};
    realm =
        std::make_shared<const Realm>(std::move(*Realm::create("team", std::move(users), grants)));
    answers = std::make_shared<const AuthAnswers>(make_auth_answers("the \"team\"", nullptr));
    stage = std::make_unique<BasicAuth>(*verifier, realm, answers);
    target = std::make_unique<OneRoute>(*stage);
    loop->add_turn_hook(*this);
  }
  ~BasicAuthTest() override { loop->remove_turn_hook(*this); }

  std::unique_ptr<FakeExchange> start(const char* authorization, std::string method = "GET") {
    RequestText text;
    text.method = std::move(method);
    text.peer = "192.0.2.1";
    if (authorization != nullptr) text.fields.emplace_back("authorization", authorization);
    auto exchange = std::make_unique<FakeExchange>(std::move(text));
    exchange->run(*target);
    return exchange;
  }
  int ask(const char* authorization, std::string method = "GET") {
    const auto exchange = start(authorization, std::move(method));
    wait_for({exchange.get()});
    return exchange->transport.status;
  }
  void wait_for(std::vector<FakeExchange*> exchanges) {
    waited_ = std::move(exchanges);
    if (!all_answered()) loop->run();
  }
  bool all_answered() const {
    return std::all_of(waited_.begin(), waited_.end(),
                       [](const FakeExchange* each) { return each->transport.answers > 0; });
  }
  void on_turn_end() override {
    if (all_answered()) loop->stop();
  }

  std::unique_ptr<Loop> loop;
  std::unique_ptr<Verifier> verifier;
  std::shared_ptr<const Realm> realm;
  std::shared_ptr<const AuthAnswers> answers;
  std::unique_ptr<BasicAuth> stage;
  std::unique_ptr<OneRoute> target;

 private:
  std::vector<FakeExchange*> waited_;
};

TEST_F(BasicAuthTest, LetsInWhoIsKnownAndAsksTheOthers) {
  EXPECT_EQ(ask(nullptr), 401);
  EXPECT_EQ(ask(kAlice), 200);
  EXPECT_EQ(ask(kBob), 200);
  EXPECT_EQ(ask(kAliceWrong), 401);
  EXPECT_EQ(ask(kNobody), 401);
  EXPECT_EQ(verifier->counts().right, 2U);
  EXPECT_EQ(verifier->counts().wrong, 2U) << "an unknown user costs a hash too";
}

TEST_F(BasicAuthTest, TheChallengeNamesRealmAndCharset) {
  const auto exchange = start(nullptr);
  EXPECT_EQ(exchange->transport.field("www-authenticate"),
            R"(Basic realm="the \"team\"", charset="UTF-8")");
  EXPECT_EQ(exchange->transport.body, "401 Unauthorized\n");
}

TEST_F(BasicAuthTest, BrokenCredentialsAreAnsweredWithoutAHash) {
  for (const char* value : {"Basic", "Basic !!!", "Basic YWE="})
    EXPECT_EQ(start(value)->transport.status, 401);
  EXPECT_EQ(start("Bearer abc")->transport.status, 401);
  EXPECT_EQ(verifier->counts().wrong, 0U);
}

TEST_F(BasicAuthTest, TwoFieldsAreNoCredentials) {
  FakeExchange exchange({.fields = {{"authorization", kAlice}, {"authorization", kBob}}});
  exchange.run(*target);
  EXPECT_EQ(exchange.transport.status, 401);
}

TEST_F(BasicAuthTest, AKnownUserWithoutTheRightIsTold) {
  EXPECT_EQ(ask(kBob, "POST"), 403);
  EXPECT_EQ(ask(kAlice, "POST"), 200);
  EXPECT_EQ(ask(nullptr, "POST"), 401);
}

TEST_F(BasicAuthTest, OptionsNeedsNoCredentials) {
  EXPECT_EQ(ask(nullptr, "OPTIONS"), 200);
  EXPECT_EQ(target->rights, http::RightSet()) << "but gives none";
}

TEST_F(BasicAuthTest, WhatWasRightIsNotHashedAgain) {
  EXPECT_EQ(ask(kAlice), 200);
  const auto again = start(kAlice);
  EXPECT_EQ(again->transport.status, 200) << "at once";
  EXPECT_EQ(verifier->counts().right, 1U);
}

TEST_F(BasicAuthTest, EqualChecksShareOneHash) {
  const auto one = start(kAlice);
  const auto two = start(kAlice);
  const auto wrong = start(kAliceWrong);
  wait_for({one.get(), two.get(), wrong.get()});
  EXPECT_EQ(one->transport.status, 200);
  EXPECT_EQ(two->transport.status, 200);
  EXPECT_EQ(wrong->transport.status, 401);
  EXPECT_EQ(verifier->counts().right, 1U);
}

TEST_F(BasicAuthTest, AClientThatLeavesTakesItsCheckAlong) {
  auto gone = start(kAlice);
  const auto stays = start(kAlice);
  const auto other = start(kBob);
  (*gone)->on_transport_lost(http::Exchange::End::kClientGone, 0, nullptr);
  gone.reset();
  wait_for({stays.get(), other.get()});
  EXPECT_EQ(stays->transport.status, 200) << "the flight goes on for the other";
  EXPECT_EQ(other->transport.status, 200);
}

TEST_F(BasicAuthTest, ManyGuessesOfOneClientAreThrottledBeforeTheyAreHashed) {
  std::vector<std::unique_ptr<FakeExchange>> guesses;
  std::vector<FakeExchange*> all;
  for (char c = 'a'; c <= 'z'; ++c) {
    guesses.push_back(start((std::string("Basic YWxpY2U6") + c + "GE=").c_str()));
    all.push_back(guesses.back().get());
  }
  wait_for(all);
  const auto is = [](int status) {
    return [status](const FakeExchange* each) { return each->transport.status == status; };
  };
  EXPECT_EQ(std::count_if(all.begin(), all.end(), is(401)), FailureThrottle::kBurst);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), is(429)), 26 - FailureThrottle::kBurst);
  EXPECT_EQ(all.back()->transport.field("retry-after"), "6");
  EXPECT_EQ(verifier->counts().throttled, 26U - FailureThrottle::kBurst);
  EXPECT_EQ(ask(kAlice), 429) << "who guesses is not told when it is right";
}

TEST_F(BasicAuthTest, AFullQueueIsSaidAtOnce) {
  std::vector<std::unique_ptr<FakeExchange>> many;
  std::vector<FakeExchange*> all;
  for (int i = 0; i < 60; ++i) {  // each another client
    RequestText text;
    text.peer = "192.0.2." + std::to_string(i);
    text.fields.emplace_back("authorization", kAlice);
    many.push_back(std::make_unique<FakeExchange>(std::move(text)));
    many.back()->run(*target);
    all.push_back(many.back().get());
  }
  EXPECT_EQ(all.back()->transport.status, 429);
  EXPECT_EQ(all.back()->transport.field("retry-after"), "1");
  wait_for(all);
  EXPECT_EQ(all.front()->transport.status, 200);
  EXPECT_GT(verifier->counts().busy, 0U);
}

TEST_F(BasicAuthTest, TheVerifierMayEndWithChecksUnderWay) {
  auto one = start(kAlice);
  auto two = start(kBob);
  one.reset();
  two.reset();
  verifier.reset();
}

class NamesOf final : public routing::DirectoryAnswer {
 public:
  bool claims(const http::RequestHead&) const override { return true; }
  void answer(http::Exchange& exchange, std::string_view path) override {
    http::ResponseHead head;
    head.fields.add("x-path", path);
    exchange.respond(std::move(head), nullptr);
  }
};

// The handler of a route whose answer is that of a directory.
class AnswerDirectory final : public http::RequestTarget {
 public:
  AnswerDirectory(routing::DirectoryAnswer& answer, http::Access access)
      : answer_(answer), access_(access) {}
  void run(http::Exchange& exchange) override {
    exchange.set_access(access_);
    answer_.answer(exchange, "sub/");
  }

 private:
  routing::DirectoryAnswer& answer_;
  http::Access access_;
};

TEST_F(BasicAuthTest, NamesAreForThoseWhoMayList) {
  const auto policy = std::make_shared<http::HeaderPolicy>();
  policy->set.push_back({"x-route", "1"});
  policy->restricted = true;
  GuardedDirectory guard(std::make_shared<NamesOf>(), answers, policy);
  const auto status_with = [&](http::Access access) {
    AnswerDirectory handler(guard, access);
    FakeExchange exchange({});
    exchange.run(handler);
    if (exchange.transport.status == 200) {
      EXPECT_EQ(exchange.transport.field("x-path"), "sub/");
      EXPECT_EQ(exchange.transport.field("cache-control"), "private");
      EXPECT_EQ(exchange.transport.field("x-route"), "1");
    }
    return exchange.transport.status;
  };
  EXPECT_EQ(status_with({http::RightSet::of(Right::kList), true}), 200);
  EXPECT_EQ(status_with({http::RightSet::of(Right::kRead), true}), 403);
  EXPECT_EQ(status_with({http::RightSet::of(Right::kRead), false}), 401);
  EXPECT_TRUE(guard.claims({}));
}

}  // namespace
}  // namespace servery::access
