#include "worker/codec/h1_body.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::codec {
namespace {

using State = H1BodyDecoder::State;

http::RequestHead chunked_head() {
  http::RequestHead head;
  head.framing = http::BodyFraming::kChunked;
  return head;
}
http::RequestHead counted_head(std::uint64_t length) {
  http::RequestHead head;
  head.framing = http::BodyFraming::kLength;
  head.content_length = length;
  return head;
}

// Decodes `text` in pieces of `piece` bytes: "payload|done+rest", "payload|more" or a refusal.
std::string decode(const http::RequestHead& head, const std::string& text, std::size_t piece,
                   std::uint64_t limit, http::HeadLimits limits) {
  H1BodyDecoder decoder(limits);
  decoder.start(head, limit);
  std::string payload;
  std::size_t at = 0;
  while (at < text.size() && !decoder.is_done()) {
    const std::size_t size = std::min(piece, text.size() - at);
    const auto step = decoder.feed({text.data() + at, size});
    payload.append(step.payload.data(), step.payload.size());
    at += step.consumed;
    if (step.state == State::kRefused) {
      return std::to_string(step.refusal.status) + " " + std::string(step.refusal.reason);
    }
    EXPECT_TRUE(step.consumed > 0 || step.state == State::kDone);
  }
  EXPECT_EQ(decoder.received(), payload.size());
  return payload + (decoder.is_done() ? "|done+" + std::to_string(text.size() - at) : "|more");
}

// The same whatever the pieces.
std::string decode_all_ways(const http::RequestHead& head, const std::string& text,
                            std::uint64_t limit = 0, http::HeadLimits limits = {}) {
  const std::string whole = decode(head, text, text.size() + 1, limit, limits);
  for (std::size_t piece = 1; piece < 8; ++piece) {
    EXPECT_EQ(decode(head, text, piece, limit, limits), whole) << text << " by " << piece;
  }
  return whole;
}
std::string chunked(const std::string& text, std::uint64_t limit = 0,
                    http::HeadLimits limits = {}) {
  return decode_all_ways(chunked_head(), text, limit, limits);
}

TEST(H1Body, CountedTakesItsBytesAndNoMore) {
  EXPECT_EQ(decode_all_ways(counted_head(5), "helloGET"), "hello|done+3");
  EXPECT_EQ(decode_all_ways(counted_head(5), "hel"), "hel|more");
  H1BodyDecoder decoder({});
  decoder.start(counted_head(0), 0);
  EXPECT_TRUE(decoder.is_done());
  decoder.start(counted_head(9), 0);
  EXPECT_EQ(decoder.remaining(), 9U);
}

TEST(H1Body, NoFramingIsDoneAtOnce) {
  H1BodyDecoder decoder({});
  decoder.start(http::RequestHead{}, 0);
  EXPECT_TRUE(decoder.is_done());
  const std::string next = "GET";
  const auto step = decoder.feed(next);
  EXPECT_EQ(step.state, State::kDone);
  EXPECT_EQ(step.consumed, 0U);
}

TEST(H1Body, Chunks) {  // RFC 9112 7.1
  EXPECT_EQ(chunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nGET"), "hello world|done+3");
  EXPECT_EQ(chunked("A\r\n0123456789\r\n000\r\n\r\n"), "0123456789|done+0");
  EXPECT_EQ(chunked("0\r\n\r\n"), "|done+0");
  EXPECT_EQ(chunked("5\r\nhel"), "hel|more");
  EXPECT_EQ(chunked("5\r\nhello\r\n0\r\n"), "hello|more");
}

TEST(H1Body, BrokenChunks) {
  for (const char* text :
       {"\r\n", "x\r\n", "-1\r\n", "+1\r\n", " 5\r\nhello", "0x5\r\n", "5\nhello", "5\r\r\n",
        "5\rhello", "5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\rX", "5\r\nhello\r\n\r\n", "az\r\n",
        "10000000000000000\r\n", "g\r\n"}) {
    const std::string answer = chunked(text);
    EXPECT_TRUE(answer == "400 chunk_invalid" || answer == "400 chunk_extension_invalid")
        << text << ": " << answer;
  }
}

TEST(H1Body, LargestSizeDoesNotWrap) {
  EXPECT_EQ(chunked("ffffffffffffffff\r\nab"), "ab|more");
  EXPECT_EQ(chunked("ffffffffffffffff\r\nab", 10), "413 body_too_large");
  EXPECT_EQ(chunked("5\r\nhello\r\nffffffffffffffff\r\nab", 10), "413 body_too_large");
}

TEST(H1Body, ExtensionsAreCheckedAndDropped) {  // RFC 9112 7.1.1
  for (const char* extension :
       {";a", ";a=b", " ; a = b", ";a;b=c;d", ";a=\"q;\\\"\r\"", "\t;a", ";a=\"\"", ";a=b ;c"}) {
    const std::string text = std::string("2") + extension + "\r\nhi\r\n0;x\r\n\r\n";
    const bool has_cr = text.find("\r\"") != std::string::npos;
    EXPECT_EQ(chunked(text), has_cr ? "400 chunk_extension_invalid" : "hi|done+0") << extension;
  }
  for (const char* extension : {" ", "  \t", ";", "; ", ";=b", ";a=", ";a=;b", ";a b", ";a=\"x",
                                ";a=\"x\"y", "x", " x", ";a\n", ";a=b c", ";a ", ";a=b "}) {
    EXPECT_EQ(chunked(std::string("2") + extension + "\r\nhi\r\n0\r\n\r\n").substr(0, 3), "400")
        << extension;
  }
}

TEST(H1Body, TrailersAreCheckedAndDropped) {  // RFC 9112 7.1.2
  EXPECT_EQ(chunked("1\r\na\r\n0\r\nX-Sum: 12\r\nContent-Length: 9\r\n\r\nG"), "a|done+1");
  for (const char* trailer :
       {"X Y: z", ": z", "X : z", "X", " X: z", "X: a\x01", "X: a\rb", "X: y\n"}) {
    EXPECT_EQ(chunked(std::string("0\r\n") + trailer + "\r\n\r\n"), "400 trailer_invalid")
        << trailer;
  }
  EXPECT_EQ(chunked("0\r\n\n"), "400 trailer_invalid");
  EXPECT_EQ(chunked("0\r\n\rX"), "400 trailer_invalid");
}

TEST(H1Body, LimitsHitExactly) {
  EXPECT_EQ(decode_all_ways(counted_head(5), "hello", 5), "hello|done+0");
  EXPECT_EQ(decode_all_ways(counted_head(6), "hello!", 5), "413 body_too_large");
  EXPECT_EQ(chunked("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", 5), "abcde|done+0");
  EXPECT_EQ(chunked("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", 5), "413 body_too_large");
  const http::HeadLimits limits{.header_bytes = 8, .header_count = 2};
  EXPECT_EQ(chunked("0\r\nA: bc\r\n\r\n", 0, limits), "|done+0");  // 6 for the field, 1 for the end
  EXPECT_EQ(chunked("0\r\nA: bcde\r\n\r\n", 0, limits), "431 trailer_too_large");
  EXPECT_EQ(chunked("0\r\nA:\r\nB:\r\n\r\n", 0, limits), "|done+0");
  EXPECT_EQ(chunked("0\r\nA:\r\nB:\r\nC:\r\n\r\n", 0, {.header_bytes = 99, .header_count = 2}),
            "431 trailer_too_many");
  EXPECT_EQ(chunked("1;abcdefgh\r\nx", 0, limits), "431 trailer_too_large");
  EXPECT_EQ(chunked("4;abcdef\r\nwxyz\r\n0;a\r\n\r\n", 0, limits), "wxyz|done+0");
  const std::string longest = "1;" + std::string(255, 'a') + "\r\nx\r\n0\r\n\r\n";
  EXPECT_EQ(chunked(longest), "x|done+0");
  EXPECT_EQ(chunked("1;a" + longest.substr(2)), "400 chunk_extension_invalid");
}

TEST(H1Body, StartForgetsTheLastBody) {
  H1BodyDecoder decoder({});
  decoder.start(chunked_head(), 0);
  const std::string broken = "zz";
  EXPECT_EQ(decoder.feed(broken).state, State::kRefused);
  decoder.start(chunked_head(), 0);
  const std::string good = "1\r\na\r\n0\r\n\r\n";
  EXPECT_EQ(decoder.feed(good).state, State::kBytes);
  EXPECT_EQ(decoder.received(), 1U);
}

}  // namespace
}  // namespace servery::codec
