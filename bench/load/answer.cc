#include "bench/load/answer.h"

#include <algorithm>
#include <cstring>

#include "common/base/text.h"

namespace servery::bench {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

bool parse_status_line(std::string_view line, HeadFacts& facts) {
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (!line.starts_with(kVersion) || line.size() < kVersion.size() + 3) return false;
  const auto status = parse_unsigned<unsigned>(line.substr(kVersion.size(), 3));
  if (!status || *status < 200 || *status > 599) return false;
  facts.status = static_cast<int>(*status);
  return true;
}

bool parse_field(std::string_view line, HeadFacts& facts) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return false;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trim_ows(line.substr(colon + 1));
  if (equals_ignore_case(name, "transfer-encoding")) return false;
  if (equals_ignore_case(name, "connection")) facts.close |= equals_ignore_case(value, "close");
  if (equals_ignore_case(name, "content-length")) {
    const auto length = parse_unsigned<std::uint64_t>(value);
    if (!length || facts.has_length) return false;
    facts.content_length = *length;
    facts.has_length = true;
  }
  return true;
}

// RFC 9112 6.3: answers that never have a body.
bool has_no_body(int status) { return status == 204 || status == 304; }

}  // namespace

bool parse_answer_head(std::string_view head, HeadFacts& facts) {
  facts = {};
  bool first = true;
  while (head != "\r\n") {
    const std::size_t end = head.find("\r\n");
    if (end == head.npos) return false;
    const std::string_view line = head.substr(0, end);
    if (!(first ? parse_status_line(line, facts) : parse_field(line, facts))) return false;
    first = false;
    head.remove_prefix(end + 2);
  }
  return !first && (facts.has_length || has_no_body(facts.status));
}

void AnswerReader::begin(Target& target, bool compare) {
  state_ = State::kHead;
  target_ = &target;
  compare_ = compare;
  wrong_body_ = false;
  partial_head_.clear();
  received_ = 0;
}

AnswerReader::State AnswerReader::feed(std::string_view& bytes) {
  if (state_ == State::kHead) state_ = feed_head(bytes);
  if (state_ == State::kBody) state_ = feed_body(bytes);
  return state_;
}

AnswerReader::State AnswerReader::feed_head(std::string_view& bytes) {
  if (partial_head_.empty() && !target_->known_head.empty() &&
      bytes.starts_with(target_->known_head)) {
    bytes.remove_prefix(target_->known_head.size());
    facts_ = target_->known_facts;
    head_bytes_ = target_->known_head.size();
    length_ = has_no_body(facts_.status) ? 0 : facts_.content_length;
    return State::kBody;
  }
  const std::size_t before = partial_head_.size();
  if (before == 0) {
    if (const std::size_t end = bytes.find(kEndOfHead); end != bytes.npos) {
      const std::string_view head = bytes.substr(0, end + kEndOfHead.size());
      bytes.remove_prefix(head.size());
      return end_of_head(head);
    }
  }
  partial_head_.append(bytes);
  const std::size_t end = partial_head_.find(kEndOfHead, before < 3 ? 0 : before - 3);
  if (end == partial_head_.npos) {
    bytes = {};
    return partial_head_.size() > kMaxHead ? State::kMalformed : State::kHead;
  }
  const std::size_t size = end + kEndOfHead.size();
  bytes.remove_prefix(size - before);
  return end_of_head(std::string_view(partial_head_).substr(0, size));
}

AnswerReader::State AnswerReader::end_of_head(std::string_view head) {
  if (!parse_answer_head(head, facts_)) return State::kMalformed;
  target_->known_head.assign(head);
  target_->known_facts = facts_;
  head_bytes_ = head.size();
  length_ = has_no_body(facts_.status) ? 0 : facts_.content_length;
  return State::kBody;
}

AnswerReader::State AnswerReader::feed_body(std::string_view& bytes) {
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(length_ - received_, bytes.size()));
  const std::string_view& wanted = target_->body;
  if (compare_ && count > 0 && !wrong_status() && received_ + count <= wanted.size() &&
      std::memcmp(bytes.data(), wanted.data() + received_, count) != 0) {
    wrong_body_ = true;
  }
  received_ += count;
  bytes.remove_prefix(count);
  return received_ == length_ ? State::kDone : State::kBody;
}

}  // namespace servery::bench
