#include "worker/http/cache_rules.h"

#include <algorithm>

#include "common/base/text.h"

namespace servery::http {
namespace {

constexpr std::string_view kHashWord = "{hash}";
constexpr std::size_t kMinHash = 8;
constexpr std::size_t kMaxHash = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Marks in `to` where a hash that begins at `begin` may end: 8 to 64 of A-Z a-z 0-9 _ with a
// letter and a digit, which neither a date nor a word has.
void mark_hash_ends(std::string_view path, std::size_t begin, std::vector<char>& to) {
  bool has_digit = false;
  bool has_letter = false;
  for (std::size_t end = begin; end < path.size() && end - begin < kMaxHash; ++end) {
    const char c = path[end];
    if (!is_digit(c) && !is_letter(c) && c != '_') return;
    has_digit |= is_digit(c);
    has_letter |= is_letter(c);
    if (has_digit && has_letter && end + 1 - begin >= kMinHash) to[end + 1] = 1;
  }
}

}  // namespace

PathPattern::PathPattern(std::string_view pattern)
    : whole_path_(pattern.find('/') != std::string_view::npos) {
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  while (!pattern.empty()) {
    std::size_t used = 1;
    if (pattern.starts_with(kHashWord)) {
      tokens_.push_back({Kind::kHash});
      used = kHashWord.size();
    } else if (pattern.starts_with("**")) {
      tokens_.push_back({Kind::kAll});
      used = 2;
    } else if (pattern.front() == '*') {
      tokens_.push_back({Kind::kSegment});
    } else if (pattern.front() == '?') {
      tokens_.push_back({Kind::kOne});
    } else {
      tokens_.push_back({Kind::kByte, pattern.front()});
    }
    pattern.remove_prefix(used);
  }
}

bool PathPattern::matches(std::string_view path) const {
  if (!whole_path_) path = path.substr(path.rfind('/') + 1);
  // reached[i]: the tokens so far can have matched the first i bytes.
  std::vector<char> reached(path.size() + 1, 0);
  std::vector<char> next(path.size() + 1, 0);
  reached[0] = 1;
  for (const Token& token : tokens_) {
    std::fill(next.begin(), next.end(), 0);
    step(token, path, reached, next);
    reached.swap(next);
  }
  return reached[path.size()] != 0;
}

void PathPattern::step(const Token& token, std::string_view path, const std::vector<char>& from,
                       std::vector<char>& to) {
  const bool repeats = token.kind == Kind::kSegment || token.kind == Kind::kAll;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    if (repeats) {
      const bool goes_on =
          i > 0 && to[i - 1] != 0 && (token.kind == Kind::kAll || path[i - 1] != '/');
      to[i] = from[i] != 0 || goes_on ? 1 : 0;
    } else if (i < path.size() && from[i] != 0) {
      if (token.kind == Kind::kHash) mark_hash_ends(path, i, to);
      if (token.kind == Kind::kOne && path[i] != '/') to[i + 1] = 1;
      if (token.kind == Kind::kByte && path[i] == token.byte) to[i + 1] = 1;
    }
  }
}

CacheRules::CacheRules(std::string fallback,
                       const std::vector<std::pair<std::string, std::string>>& rules)
    : fallback_(std::move(fallback)) {
  for (const auto& [pattern, value] : rules) rules_.push_back({PathPattern(pattern), value});
}

std::string_view CacheRules::value_for(std::string_view path) const {
  for (const Rule& rule : rules_) {
    if (rule.pattern.matches(path)) return rule.value;
  }
  return fallback_;
}

}  // namespace servery::http
