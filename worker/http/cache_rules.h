// Which Cache-Control a file gets, by its path: the first pattern that matches, else the route's
// own value. Patterns: `*` any characters but "/", `**` any, `?` one, `{hash}` the hash that build
// tools put into names. Built once per route; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace servery::http {

class PathPattern {
 public:
  // A pattern without "/" is for the last segment alone.
  explicit PathPattern(std::string_view pattern);
  // `path`: below the root, without leading slash. Time bounded by the product of both lengths.
  bool matches(std::string_view path) const;

 private:
  enum class Kind : std::uint8_t { kByte, kOne, kSegment, kAll, kHash };
  struct Token {
    Kind kind = Kind::kByte;
    char byte = 0;
  };
  static void step(const Token& token, std::string_view path, const std::vector<char>& from,
                   std::vector<char>& to);

  std::vector<Token> tokens_;
  bool whole_path_ = false;
};

class CacheRules {
 public:
  CacheRules(std::string fallback, const std::vector<std::pair<std::string, std::string>>& rules);
  // Empty: no Cache-Control. Valid as long as the rules.
  std::string_view value_for(std::string_view path) const;

 private:
  struct Rule {
    PathPattern pattern;
    std::string value;
  };
  std::string fallback_;
  std::vector<Rule> rules_;
};

}  // namespace servery::http
