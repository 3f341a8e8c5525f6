#include "response_reader.h"

#include <algorithm>
#include <charconv>

namespace hammer {
namespace {

constexpr std::size_t kMaxHead = 16384;

bool starts_with_lower(std::string_view line, std::string_view lower_prefix) {
  if (line.size() < lower_prefix.size()) return false;
  return std::equal(
      lower_prefix.begin(), lower_prefix.end(), line.begin(), [](char want, char have) {
        return want == (have >= 'A' && have <= 'Z' ? static_cast<char>(have + 32) : have);
      });
}

}  // namespace

void ResponseReader::start(const Expectation& expected) {
  *this = ResponseReader{};
  expected_ = &expected;
}

ResponseReader::Step ResponseReader::wrong(std::string problem) {
  problem_ = std::move(problem);
  return Step::kWrong;
}

bool ResponseReader::take_field(std::string_view line) {
  if (starts_with_lower(line, "content-length: ")) {
    line.remove_prefix(16);
    has_length_ =
        std::from_chars(line.data(), line.data() + line.size(), length_).ec == std::errc{};
    return has_length_;
  }
  if (starts_with_lower(line, "connection: close")) close_announced_ = true;
  return true;
}

ResponseReader::Step ResponseReader::take_head() {
  std::string_view rest = head_;
  if (!rest.starts_with("HTTP/1.1 ")) return wrong("not an HTTP/1.1 answer");
  const std::string_view status = rest.substr(9, 3);
  for (auto end = rest.find("\r\n"); end != rest.npos; end = rest.find("\r\n")) {
    if (!take_field(rest.substr(0, end))) return wrong("bad Content-Length");
    rest.remove_prefix(end + 2);
  }
  if (status != "200") return wrong("status " + std::string(status));
  if (!has_length_) return wrong("no Content-Length");
  if (length_ != expected_->length) return wrong("length " + std::to_string(length_));
  in_body_ = true;
  return Step::kMore;
}

ResponseReader::Step ResponseReader::feed(std::string_view& input) {
  if (!in_body_) {
    const std::size_t before = head_.size();
    head_.append(input.substr(0, kMaxHead));
    const auto end = head_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (end == head_.npos) {
      input.remove_prefix(input.size());
      return head_.size() > kMaxHead ? wrong("head too long") : Step::kMore;
    }
    input.remove_prefix(end + 4 - before);
    head_.resize(end + 4);
    if (take_head() == Step::kWrong) return Step::kWrong;
  }
  const auto take =
      static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), length_ - received_));
  crc_.add(input.substr(0, take));
  received_ += take;
  input.remove_prefix(take);
  if (received_ < length_) return Step::kMore;
  return crc_.value() == expected_->crc ? Step::kComplete : wrong("wrong bytes");
}

}  // namespace hammer
