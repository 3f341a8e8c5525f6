#include "worker/codec/h1_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace servery::codec {
namespace {

constexpr std::string_view kDate = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

http::ResponseHead plain_head() {
  http::ResponseHead head;
  head.status = 404;
  head.fields.add("content-type", "text/plain");
  head.fields.add("x-a--b", "1");
  return head;
}
http::PreparedResponse prepared() {
  http::PreparedResponse response;
  response.fields.add("content-length", "5");
  response.body = "hello";
  return response;
}

TEST(ByteWriter, TakesATextThatIsNowhere) {
  std::array<char, 1> buffer;
  ByteWriter out(buffer);
  EXPECT_TRUE(out.append({}));
  EXPECT_EQ(out.written(), "");
}

TEST(H1Writer, Head) {  // RFC 9112 4, 5
  std::array<char, 256> buffer;
  ByteWriter out(buffer);
  ASSERT_TRUE(write_head(out, plain_head(), {.date_line = kDate}));
  EXPECT_EQ(out.written(),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nX-A--B: 1\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
}

TEST(H1Writer, ConnectionAndChunked) {
  std::array<char, 256> buffer;
  ByteWriter out(buffer);
  http::ResponseHead head;
  ASSERT_TRUE(write_head(
      out, head, {.date_line = kDate, .connection = ConnectionField::kClose, .chunked = true}));
  EXPECT_EQ(out.written(), std::string("HTTP/1.1 200 OK\r\n") + std::string(kDate) +
                               "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n");
  ByteWriter again(buffer);
  ASSERT_TRUE(
      write_head(again, head, {.date_line = {}, .connection = ConnectionField::kKeepAlive}));
  EXPECT_EQ(again.written(), "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\n");
}

TEST(H1Writer, UnknownStatusHasAnEmptyPhrase) {  // RFC 9112 4: the space stays
  std::array<char, 64> buffer;
  ByteWriter out(buffer);
  ASSERT_TRUE(write_head(out, {299, {}}, {}));
  EXPECT_EQ(out.written(), "HTTP/1.1 299 \r\n\r\n");
}

TEST(H1Writer, PreparedIsTheSameHeadAndItsBody) {
  std::array<char, 512> buffer;
  const http::PreparedResponse response = prepared();
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + std::string(kDate) + "\r\n";
  ByteWriter out(buffer);
  ASSERT_TRUE(write_prepared(out, response, {.date_line = kDate}, false));
  EXPECT_EQ(out.written(), head + "hello");
  ASSERT_TRUE(write_prepared(out, response, {.date_line = kDate}, true));
  EXPECT_EQ(out.written(), head + "hello" + head);
  ByteWriter only_head(buffer);
  ASSERT_TRUE(write_prepared_head(only_head, response, {.date_line = kDate}));
  EXPECT_EQ(only_head.written(), head);
}

// Offers every smaller room: nothing may be written; then exactly enough.
template <typename Write>
void expect_whole_or_nothing(Write write) {
  std::array<char, 512> buffer;
  ByteWriter full(buffer);
  ASSERT_TRUE(write(full));
  const std::size_t size = full.size();
  for (std::size_t room = 0; room < size; ++room) {
    ByteWriter out(std::span<char>(buffer).first(room));
    EXPECT_FALSE(write(out));
    EXPECT_EQ(out.size(), 0U);
  }
  ByteWriter exact(std::span<char>(buffer).first(size));
  EXPECT_TRUE(write(exact));
}

TEST(H1Writer, WholeOrNothing) {
  const HeadContext context{
      .date_line = kDate, .connection = ConnectionField::kClose, .chunked = true};
  expect_whole_or_nothing(
      [&context](ByteWriter& out) { return write_head(out, plain_head(), context); });
  const http::PreparedResponse response = prepared();
  expect_whole_or_nothing(
      [&](ByteWriter& out) { return write_prepared_head(out, response, context); });
  expect_whole_or_nothing(
      [&](ByteWriter& out) { return write_prepared(out, response, context, false); });
  expect_whole_or_nothing([](ByteWriter& out) { return write_chunk_size(out, 4096); });
}

TEST(H1Writer, ChunkSizes) {  // RFC 9112 7.1
  std::array<char, 64> buffer;
  ByteWriter out(buffer);
  ASSERT_TRUE(write_chunk_size(out, 5));
  ASSERT_TRUE(write_chunk_size(out, 0xabcdef));
  ASSERT_TRUE(write_chunk_size(out, ~std::uint64_t{0}));
  EXPECT_EQ(out.written(), "5\r\nabcdef\r\nffffffffffffffff\r\n");
}

}  // namespace
}  // namespace servery::codec
