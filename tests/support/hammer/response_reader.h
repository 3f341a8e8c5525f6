// Reads HTTP/1.1 answers and compares each with what it must be: status 200, Content-Length,
// CRC-32. Sans-IO; one per connection, restarted for every answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crc32.h"
#include "options.h"

namespace hammer {

class ResponseReader {
 public:
  enum class Step { kMore, kComplete, kWrong };

  void start(const Expectation& expected);
  // Takes bytes from the front of `input`, leaves what belongs to the next answer.
  Step feed(std::string_view& input);

  bool started() const { return in_body_ || !head_.empty(); }
  bool close_announced() const { return close_announced_; }
  const std::string& problem() const { return problem_; }

 private:
  Step wrong(std::string problem);
  Step take_head();
  bool take_field(std::string_view line);

  const Expectation* expected_ = nullptr;
  std::string head_;
  bool in_body_ = false;
  bool close_announced_ = false;
  bool has_length_ = false;
  std::uint64_t length_ = 0;
  std::uint64_t received_ = 0;
  Crc32 crc_;
  std::string problem_;
};

}  // namespace hammer
