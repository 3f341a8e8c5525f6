// The frame of a multipart/byteranges body (RFC 9110 14.6): the texts before, between and behind
// the parts, and the length of it all before a byte is read. A pure value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/http/range.h"

namespace servery::http {

class MultipartRanges {
 public:
  // `boundary` must not be guessable by who wrote the content: 1 to 70 letters or digits (RFC 2046
  // 5.1.1). `content_type` and `size` are the whole representation's.
  MultipartRanges(std::string boundary, std::string content_type, std::uint64_t size,
                  std::vector<ByteRange> parts);

  std::string content_type() const;  // of the whole answer
  std::uint64_t length() const;
  const std::vector<ByteRange>& parts() const { return parts_; }
  // The text before part `index`, its fields included; behind the last part where `index` is their
  // number.
  std::string text(std::size_t index) const;

 private:
  std::string boundary_;
  std::string content_type_;
  std::uint64_t size_;
  std::vector<ByteRange> parts_;
};

}  // namespace servery::http
