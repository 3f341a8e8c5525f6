// What is asked for and what must come back: a list of targets, read from a file. Loaded once
// before the run; requests and expected bodies stay in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace servery::bench {

// The facts of an answer's head that decide how the rest is read.
struct HeadFacts {
  int status = 0;
  std::uint64_t content_length = 0;
  bool has_length = false;
  bool close = false;
};

struct Target {
  std::string request;       // keeps the connection
  std::string last_request;  // with `Connection: close`
  int status = 200;
  std::string_view body;  // owned by the list
  bool large = false;     // counted apart: latencies of small answers must not drown in large ones

  // The last head seen, so that an identical one is known without parsing it again.
  std::string known_head;
  HeadFacts known_facts;
};

class TargetList {
 public:
  static constexpr std::size_t kLarge = 64 * 1024;  // a longer body is large

  // Each line of `path`: PATH STATUS FILE [OFFSET LENGTH], FILE `-` for an answer without a body.
  // `headers` are sent with every request.
  static Result<TargetList> load(const std::string& path, const std::string& host,
                                 const std::vector<std::string>& headers);

  std::vector<Target>& targets() { return targets_; }

 private:
  Status add_line(const std::string& line, const std::string& tail);
  Result<std::string_view> body_of(const std::string& file);

  std::deque<std::string> contents_;
  std::map<std::string, std::string_view> bodies_;
  std::vector<Target> targets_;
};

}  // namespace servery::bench
