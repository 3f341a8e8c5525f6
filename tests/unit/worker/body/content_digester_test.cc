#include "worker/body/content_digester.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/support/handler_probe.h"
#include "worker/body/producers.h"

namespace servery::body {
namespace {

constexpr auto kSha256 = Digest::Algorithm::kSha256;
constexpr auto kSha512 = Digest::Algorithm::kSha512;

// The outcome goes out as the answer's body.
class ContentDigesterTest : public testing::Test {
 protected:
  ContentDigester::Input input(const std::string& key, const std::string& text,
                               bool may_keep = true) {
    ContentDigester::Input made{key, std::make_shared<MemoryProducer>(text), {}};
    if (may_keep) made.may_keep = [] { return true; };
    return made;
  }
  std::string digest(Digest::Algorithm algorithm, ContentDigester::Input what) {
    std::string outcome = "none";
    test::HandlerProbe probe(*loop_, {.path = "/"}, [&](http::Exchange& exchange) {
      ASSERT_TRUE(digester_->compute(exchange, algorithm, std::move(what),
                                     [&outcome, &exchange](const std::string& bytes) {
                                       outcome = bytes;
                                       exchange.respond({204, {}}, nullptr);
                                     }));
    });
    EXPECT_EQ(probe.run().status, 204);
    return outcome;
  }
  std::string expected(Digest::Algorithm algorithm, std::string_view text) {
    Digest whole(algorithm);
    whole.add(text);
    return whole.finish();
  }

  std::unique_ptr<Loop> loop_ = Loop::create().value();
  std::unique_ptr<ContentDigester> digester_ = ContentDigester::create(*loop_).value();
};

class FailingProducer final : public Producer {
 public:
  Outcome produce(std::string& into) override {
    into += "x";
    return Outcome::kFailed;
  }
};

TEST_F(ContentDigesterTest, HashesAndKeeps) {
  const std::string text(1'000'000, 'a');
  EXPECT_EQ(digester_->find(kSha256, "a"), nullptr);
  EXPECT_EQ(digest(kSha256, input("a", text)), expected(kSha256, text));
  ASSERT_NE(digester_->find(kSha256, "a"), nullptr);
  EXPECT_EQ(*digester_->find(kSha256, "a"), expected(kSha256, text));
  EXPECT_EQ(digester_->find(kSha512, "a"), nullptr) << "another algorithm";
  EXPECT_EQ(digest(kSha512, input("a", text)), expected(kSha512, text));
  EXPECT_EQ(digester_->counts().computed, 2U);
  EXPECT_EQ(digester_->counts().kept, 2U);
}

TEST_F(ContentDigesterTest, KeepsNothingThatMayHaveChanged) {
  EXPECT_EQ(digest(kSha256, input("a", "one", false)), expected(kSha256, "one"));
  EXPECT_EQ(digester_->find(kSha256, "a"), nullptr);
}

TEST_F(ContentDigesterTest, WhatCannotBeReadHasNone) {
  EXPECT_EQ(digest(kSha256, {"a", std::make_shared<FailingProducer>(), [] { return true; }}), "");
  EXPECT_EQ(digester_->find(kSha256, "a"), nullptr);
}

TEST_F(ContentDigesterTest, OfNothing) {
  EXPECT_EQ(digest(kSha256, input("a", "")), expected(kSha256, ""));
}

TEST_F(ContentDigesterTest, WhatIsKeptIsBounded) {
  for (int i = 0; i < 4100; ++i) digest(kSha256, input(std::to_string(i), "x"));
  EXPECT_EQ(digester_->counts().kept, 4096U);
  EXPECT_EQ(digester_->find(kSha256, "3"), nullptr) << "the oldest went";
  EXPECT_NE(digester_->find(kSha256, "4"), nullptr);
}

}  // namespace
}  // namespace servery::body
