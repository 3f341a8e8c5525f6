#include "worker/http/multipart_ranges.h"

#include <gtest/gtest.h>

namespace servery::http {
namespace {

std::string whole(const MultipartRanges& frame, std::string_view content) {
  std::string body;
  for (std::size_t i = 0; i < frame.parts().size(); ++i) {
    body += frame.text(i);
    body += content.substr(frame.parts()[i].first, frame.parts()[i].length());
  }
  return body + frame.text(frame.parts().size());
}

TEST(MultipartRanges, FramesThePartsInTheirOrder) {  // RFC 9110 14.6
  const MultipartRanges frame("BOUNDARY", "text/plain", 10, {{8, 9}, {0, 1}});
  EXPECT_EQ(frame.content_type(), "multipart/byteranges; boundary=BOUNDARY");
  EXPECT_EQ(whole(frame, "0123456789"),
            "\r\n--BOUNDARY\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89"
            "\r\n--BOUNDARY\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
            "\r\n--BOUNDARY--\r\n");
}

TEST(MultipartRanges, LengthIsExact) {
  const std::string content(1000, 'x');
  const MultipartRanges frame("b", "a/b", 1000, {{0, 0}, {9, 99}, {100, 999}});
  EXPECT_EQ(frame.length(), whole(frame, content).size());
}

TEST(MultipartRanges, AnUnknownTypeIsNotNamed) {
  const MultipartRanges frame("b", "", 10, {{0, 0}, {5, 5}});
  EXPECT_EQ(frame.text(0), "\r\n--b\r\nContent-Range: bytes 0-0/10\r\n\r\n");
  EXPECT_EQ(frame.length(), whole(frame, "0123456789").size());
}

}  // namespace
}  // namespace servery::http
