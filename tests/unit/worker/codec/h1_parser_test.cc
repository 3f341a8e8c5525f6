#include "worker/codec/h1_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace servery::codec {
namespace {

using State = H1HeadParser::State;

class H1Parser : public ::testing::Test {
 protected:
  // Feeds `text` whole; says what came of it.
  std::string parse(std::string text, http::HeadLimits limits = {}) {
    bytes = std::move(text);
    H1HeadParser parser(limits);
    return describe(parser.parse(bytes, head));
  }
  // Feeds `text` one byte more at a time, each time in new memory; stops at the first outcome.
  std::string drip(const std::string& text, http::HeadLimits limits = {}) {
    H1HeadParser parser(limits);
    for (std::size_t size = 1; size <= text.size(); ++size) {
      bytes = std::string(text.data(), size);
      const H1HeadParser::Outcome outcome = parser.parse(bytes, head);
      if (outcome.state != State::kNeedMore) return describe(outcome);
    }
    return "more";
  }
  static std::string describe(const H1HeadParser::Outcome& outcome) {
    switch (outcome.state) {
      case State::kNeedMore:
        return "more";
      case State::kHead:
        return "head " + std::to_string(outcome.consumed);
      case State::kRefused:
        break;
    }
    return std::to_string(outcome.refusal.status) + " " + std::string(outcome.refusal.reason);
  }
  std::string fields() const {
    std::string all;
    for (const http::FieldView& field : head.fields) {
      all.append(field.name).append("=").append(field.value).append(";");
    }
    return all;
  }

  std::string bytes;
  http::RawHead head;
};

TEST_F(H1Parser, WholeHead) {
  EXPECT_EQ(parse("GET /a HTTP/1.1\r\nHost: x\r\nX-Y:  1, 2 \t\r\nE:\r\n\r\nrest"), "head 46");
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.target, "/a");
  EXPECT_EQ(head.version_minor, 1);
  EXPECT_EQ(fields(), "host=x;x-y=1, 2;e=;");
  EXPECT_EQ(head.fields.begin()->id, http::FieldId::kHost);
  EXPECT_EQ(head.method.data(), bytes.data());  // views, no copies
}

TEST_F(H1Parser, AnySplitGivesTheSameAnswer) {
  const std::vector<std::string> texts = {
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\r\nPOST /x HTTP/1.0\r\nA: b\r\nContent-Length: 3\r\n\r\n",
      "GET / HTTP/1.1\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n\n",
      "GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
      "GET / HTTP/2.0\r\n\r\n",
      "\r\n\r\n\r\nGET",
      "\n",
      " GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: " + std::string(64, 'x') + "\r\n\r\n",
      "GET /" + std::string(64, 'x') + " HTTP/1.1\r\n\r\n",
  };
  for (const std::string& text : texts) {
    const http::HeadLimits limits{.header_bytes = 64, .header_count = 2};
    EXPECT_EQ(drip(text, limits), parse(text, limits)) << text;
    EXPECT_EQ(drip(text), parse(text)) << text;
  }
}

TEST_F(H1Parser, PipelinedHeadsOneAfterAnother) {
  bytes = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: y\r\n\r\nGET /3 HT";
  H1HeadParser parser({});
  std::span<char> rest(bytes);
  for (const char* target : {"/1", "/2"}) {
    const auto outcome = parser.parse(rest, head);
    ASSERT_EQ(outcome.state, State::kHead);
    EXPECT_EQ(head.target, target);
    EXPECT_EQ(head.fields.size(), 1U);
    rest = rest.subspan(outcome.consumed);
  }
  EXPECT_TRUE(parser.is_idle());
  EXPECT_EQ(parser.parse(rest, head).state, State::kNeedMore);
  EXPECT_FALSE(parser.is_idle());
}

TEST_F(H1Parser, EmptyLinesBeforeTheRequestLine) {  // RFC 9112 2.2
  EXPECT_EQ(parse("\r\nGET / HTTP/1.1\r\n\r\n"), "head 20");
  EXPECT_EQ(parse("\r\n\r\nGET / HTTP/1.1\r\n\r\n"), "head 22");
  EXPECT_EQ(parse("\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n"), "400 empty_lines");
  H1HeadParser parser({});
  bytes = "\r\n";
  EXPECT_EQ(parser.parse(bytes, head).state, State::kNeedMore);
  EXPECT_TRUE(parser.is_idle());
}

TEST_F(H1Parser, RequestLine) {  // RFC 9112 3
  for (const char* line :
       {"GET /", "GET / ", "GET  / HTTP/1.1x", "GET /  HTTP/1.1 ", "GET / HTTP/1.1 ",
        "GET / HTTP/1.11", "GET / HTTP/10.0", "GET / HTT/1.0", "GET / http/1.1", "GET / HTTP/1,1",
        "GET / HTTP/", "GET / HTTP/0.9", "GET HTTP/1.1", "GET", "GET\t/\tHTTP/1.1",
        "GET / RTSP/1.1", "GET / HTTP/a.1"}) {
    EXPECT_EQ(parse(std::string(line) + "\r\nHost: x\r\n\r\n"), "400 request_line_invalid") << line;
  }
  EXPECT_EQ(parse("GET / HTTP/2.0\r\n\r\n"), "505 version_unsupported");
  EXPECT_EQ(parse("GET / HTTP/9.9\r\n\r\n"), "505 version_unsupported");
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n"), "head 18");
  EXPECT_EQ(head.version_minor, 0);
  EXPECT_EQ(parse("GET / HTTP/1.2\r\n\r\n"), "head 18");
  EXPECT_EQ(head.version_minor, 1);
}

TEST_F(H1Parser, SpacesInTheTargetAreLeftForTheRules) {
  EXPECT_EQ(parse("GET /a b HTTP/1.1\r\n\r\n"), "head 21");
  EXPECT_EQ(head.target, "/a b");
  EXPECT_EQ(parse("GET  / HTTP/1.1\r\n\r\n"), "head 19");
  EXPECT_EQ(head.target, " /");
}

TEST_F(H1Parser, NoHttpIsRefusedAtItsFirstByte) {
  EXPECT_EQ(parse(std::string("\x16\x03\x01", 3)), "400 method_invalid");
  EXPECT_EQ(parse(std::string("\0", 1)), "400 method_invalid");
  EXPECT_EQ(parse(" "), "400 method_invalid");
}

TEST_F(H1Parser, FieldLines) {  // RFC 9112 5
  const std::string begin = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (const char* line : {"Foo", "Foo bar", ": bar", "Foo : bar", "Foo\t: bar", " Foo: bar",
                           "\tfolded", "Fo@: x", "X[]: y", "F\x01: y", "F\ro: y", "caf\xe9: y"}) {
    EXPECT_EQ(parse(begin + line + "\r\n\r\n"), "400 field_name_invalid") << line;
  }
  for (const char* line : {"Foo: a\rb", "Foo: a\x01", "Foo: \x7f", "Foo: \x0c", "Foo: b\r"}) {
    EXPECT_EQ(parse(begin + line + "\r\n\r\n"), "400 field_value_invalid") << line;
  }
  EXPECT_EQ(parse(begin + std::string("Foo: a\0b", 8) + "\r\n\r\n"), "400 field_value_invalid");
  EXPECT_EQ(parse(begin + "A_b: \xc3\xbc\ty\r\n\r\n").substr(0, 4), "head");
  EXPECT_EQ(fields(), "host=x;a_b=\xc3\xbc\ty;");
}

TEST_F(H1Parser, BareLfIsNoLineEnd) {  // RFC 9112 2.2
  EXPECT_EQ(parse("GET / HTTP/1.1\nHost: x\n\n"), "400 bare_lf");
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\n\r\n"), "400 bare_lf");
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nHost: x\r\n\n"), "400 bare_lf");
  EXPECT_EQ(parse("\nGET / HTTP/1.1\r\n\r\n"), "400 bare_lf");
}

TEST_F(H1Parser, HeaderBytesHitExactly) {
  const std::string head_text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";  // 27 bytes
  EXPECT_EQ(parse(head_text, {.header_bytes = 27, .header_count = 9}), "head 27");
  EXPECT_EQ(parse(head_text, {.header_bytes = 26, .header_count = 9}), "431 header_too_large");
  EXPECT_EQ(parse(head_text, {.header_bytes = 16, .header_count = 9}), "431 header_too_large");
  EXPECT_EQ(parse(head_text, {.header_bytes = 15, .header_count = 9}), "414 target_too_long");
  EXPECT_EQ(parse("\r\n" + head_text, {.header_bytes = 27, .header_count = 9}), "head 29");
}

TEST_F(H1Parser, LimitsHoldWhileTheHeadIsIncomplete) {
  const http::HeadLimits limits{.header_bytes = 20, .header_count = 9};
  EXPECT_EQ(parse("GET /" + std::string(14, 'x'), limits), "more");
  EXPECT_EQ(parse("GET /" + std::string(15, 'x'), limits), "414 target_too_long");
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nabc", limits), "more");
  EXPECT_EQ(parse("GET / HTTP/1.1\r\nabcd", limits), "431 header_too_large");
}

TEST_F(H1Parser, HeaderCountHitExactly) {
  const std::string text = "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\n\r\n";
  EXPECT_EQ(parse(text, {.header_bytes = 99, .header_count = 2}), "head 30");
  EXPECT_EQ(parse(text, {.header_bytes = 99, .header_count = 1}), "431 header_too_many");
}

TEST_F(H1Parser, ARequestLineIsJudgedWhenItIsWhole) {
  EXPECT_EQ(parse("GET /h\r\n"), "400 request_line_invalid");  // HTTP/0.9 sends no more
  EXPECT_EQ(drip("GET /h\r\nHost: a\r\n\r\n"), "400 request_line_invalid");
  EXPECT_EQ(drip("GET /h HTTP/2.0\r\nX: y\nHost: a"), "505 version_unsupported");
}

TEST(BegunMethod, IsKnownOnceASpaceFollows) {
  const auto method = [](std::string_view head) { return begun_method(head); };
  EXPECT_EQ(method("HEAD /aaa"), "HEAD");
  EXPECT_EQ(method("\r\nHEAD / HTTP/1.1\r\nX"), "HEAD");
  EXPECT_EQ(method("HEA"), "");
  EXPECT_EQ(method("\r\n"), "");
  EXPECT_EQ(method(""), "");
}

}  // namespace
}  // namespace servery::codec
