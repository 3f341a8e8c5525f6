// Every answer the limit server gives, made before it listens: whole files with their heads, in
// memory. Immutable once loaded.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "common/base/result.h"

namespace servery::bench {

// The head ends after `Connection: close` or not; head and body are one block of bytes.
struct Answer {
  std::string keep;
  std::string close;
  std::string not_modified;
  std::string_view body;  // within `keep`
};

class Answers {
 public:
  // Every regular file below `root`.
  static Result<Answers> load(const std::string& root);

  // Null for an unknown path.
  const Answer* find(std::string_view path) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  void add(const std::string& path, const std::string& content);

  std::unordered_map<std::string, Answer, Hash, std::equal_to<>> by_path_;
};

// `Range: bytes=FIRST-LAST` of `body`: a whole 206 into `out`. False when it is not that form.
bool make_partial(std::string_view range, std::string_view body, std::string& out);

}  // namespace servery::bench
