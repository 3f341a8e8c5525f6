#include "worker/body/range_answer.h"

#include <gtest/gtest.h>

#include "tests/support/handler_probe.h"
#include "worker/body/memory_source.h"

namespace servery::body {
namespace {

constexpr std::string_view kContent = "0123456789";

class RangeAnswer : public testing::Test {
 protected:
  test::HandlerProbe& probe(std::string range, std::uint64_t size = kContent.size()) {
    probe_ = std::make_unique<test::HandlerProbe>(
        *loop_, test::ProbeRequest{}, [this, range, size](http::Exchange& exchange) {
          http::ResponseFields fields;
          fields.add(http::FieldId::kContentType, "text/plain");
          fields.add(http::FieldId::kEtag, "\"t\"");
          answer_range(exchange, http::choose_range(range, size), std::move(fields), size,
                       [this](const http::ByteRange& part) { return open(part); });
        });
    return *probe_;
  }
  std::unique_ptr<http::BodySource> open(const http::ByteRange& part) {
    if (++opened_ > may_open_) return nullptr;
    return std::make_unique<MemorySource>(std::string(kContent.substr(part.first, part.length())));
  }
  // The boundary is the answer's own.
  static std::string with_boundary(std::string text, const test::ProbeAnswer& answer) {
    const std::string type = answer.field("content-type");
    const std::string boundary = type.substr(type.find('=') + 1);
    for (std::size_t at = 0; (at = text.find('B', at)) != std::string::npos;) {
      text.replace(at, 1, boundary);
      at += boundary.size();
    }
    return text;
  }

  std::unique_ptr<Loop> loop_ = Loop::create().value();
  int opened_ = 0;
  int may_open_ = 100;
  std::unique_ptr<test::HandlerProbe> probe_;
};

TEST_F(RangeAnswer, TheWhole) {
  const auto answer = probe("").run();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, kContent);
  EXPECT_EQ(answer.field("content-length"), "10");
  EXPECT_EQ(answer.field("content-range"), "");
}

TEST_F(RangeAnswer, OnePart) {  // RFC 9110 15.3.7.1
  const auto answer = probe("bytes=2-4").run();
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.body, "234");
  EXPECT_EQ(answer.field("content-range"), "bytes 2-4/10");
  EXPECT_EQ(answer.field("content-type"), "text/plain");
  EXPECT_EQ(answer.field("etag"), "\"t\"");
}

TEST_F(RangeAnswer, SeveralParts) {  // RFC 9110 15.3.7.2
  const auto answer = probe("bytes=0-1,-1").run();
  EXPECT_EQ(answer.status, 206);
  EXPECT_EQ(answer.field("content-range"), "");  // RFC 9110 15.3.7.2: MUST NOT
  EXPECT_EQ(answer.field("content-type").find("multipart/byteranges; boundary="), 0U);
  EXPECT_EQ(
      answer.body,
      with_boundary("\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
                    "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 9-9/10"
                    "\r\n\r\n9\r\n--B--\r\n",
                    answer));
  EXPECT_EQ(answer.field("content-length"), std::to_string(answer.body.size()));
}

TEST_F(RangeAnswer, BoundariesCannotBeForeseen) {
  EXPECT_NE(probe("bytes=0-1,-1").run().field("content-type"),
            probe("bytes=0-1,-1").run().field("content-type"));
}

TEST_F(RangeAnswer, ByteByByteAndBackAgain) {
  const std::string whole = probe("bytes=0-1,5-6,9-").run().body;
  test::HandlerProbe& slow = probe("bytes=0-1,5-6,9-");
  const std::string type = slow.run_until_head().field("content-type");
  std::string expected = whole;
  for (std::size_t n; (n = slow.pull_some(3)) > 0;) {
    ASSERT_TRUE(slow.take_back(1));  // what a full socket did not take
    ASSERT_EQ(slow.pull_some(1), 1U);
  }
  // The same but for the boundary, which is as long.
  EXPECT_EQ(slow.answer().body.size(), expected.size());
  EXPECT_EQ(
      slow.answer().body,
      with_boundary("\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
                    "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-6/10\r\n\r\n56"
                    "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes "
                    "9-9/10\r\n\r\n9\r\n--B--\r\n",
                    slow.answer()));
}

TEST_F(RangeAnswer, Unsatisfiable) {  // RFC 9110 15.5.17
  const auto answer = probe("bytes=10-").run();
  EXPECT_EQ(answer.status, 416);
  EXPECT_EQ(answer.field("content-range"), "bytes */10");
  EXPECT_EQ(answer.field("etag"), "");
  EXPECT_EQ(opened_, 0);
}

TEST_F(RangeAnswer, NothingToOpenOfAnEmptyOne) {
  const auto answer = probe("bytes=0-", 0).run();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-length"), "0");
  EXPECT_EQ(opened_, 0);
}

TEST_F(RangeAnswer, APartThatCannotBeOpenedBreaksOff) {
  may_open_ = 1;
  const auto answer = probe("bytes=0-1,5-6").run();
  EXPECT_EQ(answer.status, 206);
  EXPECT_TRUE(answer.is_broken);
  may_open_ = 0;
  EXPECT_EQ(probe("bytes=0-1").run().status, 500);
}

}  // namespace
}  // namespace servery::body
