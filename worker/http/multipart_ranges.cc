#include "worker/http/multipart_ranges.h"

#include <utility>

namespace servery::http {

MultipartRanges::MultipartRanges(std::string boundary, std::string content_type, std::uint64_t size,
                                 std::vector<ByteRange> parts)
    : boundary_(std::move(boundary)),
      content_type_(std::move(content_type)),
      size_(size),
      parts_(std::move(parts)) {}

std::string MultipartRanges::content_type() const {
  return "multipart/byteranges; boundary=" + boundary_;
}

std::uint64_t MultipartRanges::length() const {
  std::uint64_t length = text(parts_.size()).size();
  for (std::size_t i = 0; i < parts_.size(); ++i) length += text(i).size() + parts_[i].length();
  return length;
}

std::string MultipartRanges::text(std::size_t index) const {
  // Before the first part too, as an empty preamble (RFC 2046 5.1.1): zsync counts on it.
  std::string out = "\r\n--";
  out += boundary_;
  if (index == parts_.size()) return out += "--\r\n";
  if (!content_type_.empty()) out.append("\r\nContent-Type: ").append(content_type_);
  out.append("\r\nContent-Range: ").append(content_range(parts_[index], size_));
  return out += "\r\n\r\n";
}

}  // namespace servery::http
