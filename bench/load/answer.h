// Reads one HTTP/1.1 answer after the other from the bytes of a connection and compares each with
// what its target demands. Sans-IO; owned by a connection; allocates only while a head that came in
// pieces is longer than any before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/load/target.h"

namespace servery::bench {

// Status line and the fields Content-Length and Connection of a whole head, up to its empty line.
// False for anything this client cannot delimit: no status line, a transfer coding, a bad length.
bool parse_answer_head(std::string_view head, HeadFacts& facts);

class AnswerReader {
 public:
  enum class State { kHead, kBody, kDone, kMalformed };
  static constexpr std::size_t kMaxHead = 16 * 1024;

  // The answer to `target` comes next. `compare`: its body byte for byte, else only its length.
  void begin(Target& target, bool compare);
  // Takes what belongs to this answer off the front of `bytes`. kDone and kMalformed are final.
  State feed(std::string_view& bytes);

  // Once kDone:
  int status() const { return facts_.status; }
  bool wrong_status() const { return facts_.status != target_->status; }
  bool wrong_length() const { return !wrong_status() && received_ != target_->body.size(); }
  bool wrong_body() const { return wrong_body_; }
  bool server_closes() const { return facts_.close; }
  std::uint64_t head_bytes() const { return head_bytes_; }
  std::uint64_t body_bytes() const { return received_; }
  bool started() const { return state_ != State::kHead || !partial_head_.empty(); }

 private:
  State feed_head(std::string_view& bytes);
  State end_of_head(std::string_view head);
  State feed_body(std::string_view& bytes);

  State state_ = State::kDone;
  Target* target_ = nullptr;
  bool compare_ = true;
  bool wrong_body_ = false;
  HeadFacts facts_;
  std::string partial_head_;
  std::uint64_t head_bytes_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t received_ = 0;
};

}  // namespace servery::bench
