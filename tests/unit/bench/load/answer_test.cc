#include "bench/load/answer.h"

#include <gtest/gtest.h>

#include <string>

namespace servery::bench {
namespace {

using State = AnswerReader::State;

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

Target target_of(std::string_view body, int status = 200) {
  Target target;
  target.status = status;
  target.body = body;
  return target;
}

// The state after one whole answer; what is left over stays in `bytes`.
State read(AnswerReader& reader, Target& target, std::string_view& bytes) {
  reader.begin(target, true);
  return reader.feed(bytes);
}

TEST(AnswerReader, AcceptsTheAnswerItsTargetDemands) {
  Target target = target_of("hello");
  AnswerReader reader;
  std::string_view bytes = kAnswer;
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_TRUE(bytes.empty());
  EXPECT_FALSE(reader.wrong_status() || reader.wrong_length() || reader.wrong_body());
  EXPECT_EQ(reader.body_bytes(), 5U);
}

TEST(AnswerReader, ReadsByteByByteAndSeveralInOneRead) {
  Target target = target_of("hello");
  AnswerReader reader;
  const std::string twice = std::string(kAnswer) + std::string(kAnswer);
  std::string_view bytes = twice;
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_EQ(bytes, kAnswer);
  reader.begin(target, true);
  for (const char& byte : kAnswer) {
    std::string_view one(&byte, 1);
    const bool last = &byte == &kAnswer.back();
    const State state = reader.feed(one);
    ASSERT_EQ(state == State::kDone, last);
    ASSERT_NE(state, State::kMalformed);
  }
  EXPECT_FALSE(reader.wrong_body());
}

TEST(AnswerReader, NoticesOneWrongByte) {
  Target target = target_of("hellp");
  AnswerReader reader;
  std::string_view bytes = kAnswer;
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_TRUE(reader.wrong_body());
  EXPECT_FALSE(reader.wrong_length());
}

TEST(AnswerReader, NoticesAnotherLength) {
  Target target = target_of("hell");
  AnswerReader reader;
  std::string_view bytes = kAnswer;
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_TRUE(reader.wrong_length());
}

TEST(AnswerReader, NoticesAnotherStatusAndSkipsItsBody) {
  Target target = target_of("hello");
  AnswerReader reader;
  std::string_view bytes = "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nnoHTTP";
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_TRUE(reader.wrong_status());
  EXPECT_FALSE(reader.wrong_length());
  EXPECT_EQ(bytes, "HTTP");
}

TEST(AnswerReader, AKnownHeadStillHasItsBodyCompared) {
  Target target = target_of("hello");
  AnswerReader reader;
  std::string_view first = kAnswer;
  ASSERT_EQ(read(reader, target, first), State::kDone);
  std::string_view second = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhullo";
  ASSERT_EQ(read(reader, target, second), State::kDone);
  EXPECT_TRUE(reader.wrong_body());
}

// RFC 9112 6.3: the length of a 304 is that of the 200 it stands for.
TEST(AnswerReader, A304HasNoBody) {
  Target target = target_of("", 304);
  AnswerReader reader;
  std::string_view bytes = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nHTTP";
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_EQ(bytes, "HTTP");
}

TEST(AnswerReader, KnowsThatTheServerCloses) {
  Target target = target_of("");
  AnswerReader reader;
  std::string_view bytes = "HTTP/1.1 200 OK\r\nconnection: Close\r\ncontent-length: 0\r\n\r\n";
  ASSERT_EQ(read(reader, target, bytes), State::kDone);
  EXPECT_TRUE(reader.server_closes());
}

TEST(AnswerReader, RefusesWhatItCannotDelimit) {
  for (const std::string_view head :
       {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"}) {
    Target target = target_of("");
    AnswerReader reader;
    std::string_view bytes = head;
    EXPECT_EQ(read(reader, target, bytes), State::kMalformed) << head;
  }
}

TEST(AnswerReader, RefusesAHeadWithoutEnd) {
  Target target = target_of("");
  AnswerReader reader;
  const std::string endless(AnswerReader::kMaxHead + 1, 'a');
  std::string_view bytes = endless;
  EXPECT_EQ(read(reader, target, bytes), State::kMalformed);
}

}  // namespace
}  // namespace servery::bench
