#include "worker/http/syntax.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "common/base/text.h"

namespace servery::http {
namespace {

// For a tchar its lowercase form, else 0.
constexpr std::array<char, 256> kTokenLower = [] {
  std::array<char, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = static_cast<char>(c);
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = static_cast<char>(c);
  for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = static_cast<char>(c + 32);
  for (char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'}) {
    table[static_cast<unsigned char>(c)] = c;
  }
  return table;
}();

constexpr bool is_field_char(unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); }

// Whether all eight bytes at `at` are 0x20..0x7e or above 0x7f; HTAB makes it false too.
bool is_plain_word(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  const std::uint64_t controls = (word - kOnes * 0x20) & ~word;
  const std::uint64_t deletes_as_zero = word ^ (kOnes * 0x7f);
  const std::uint64_t deletes = (deletes_as_zero - kOnes) & ~deletes_as_zero;
  return ((controls | deletes) & kHigh) == 0;
}

}  // namespace

bool is_token(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    if (kTokenLower[static_cast<unsigned char>(c)] == 0) return false;
  }
  return true;
}

bool is_field_value(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.size() >= 8) {
    bool is_plain = is_plain_word(end - 8);  // the last word may overlap the one before
    for (; end - at > 8; at += 8) is_plain = is_plain && is_plain_word(at);
    if (is_plain) return true;
    at = text.data();
  }
  for (; at != end; ++at) {
    if (!is_field_char(static_cast<unsigned char>(*at))) return false;
  }
  return true;
}

bool is_token_char(char c) { return kTokenLower[static_cast<unsigned char>(c)] != 0; }

char* lowercase_token(char* begin, char* end) {
  for (; begin != end; ++begin) {
    const char lower = kTokenLower[static_cast<unsigned char>(*begin)];
    if (lower == 0) break;
    *begin = lower;
  }
  return begin;
}

bool ListCursor::next(std::string_view& member) {
  while (!rest_.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < rest_.size() && (quoted || rest_[end] != ','); ++end) {
      if (rest_[end] == '"') quoted = !quoted;
      if (quoted && rest_[end] == '\\') ++end;
    }
    end = end < rest_.size() ? end : rest_.size();
    member = trim_ows(rest_.substr(0, end));
    rest_.remove_prefix(end < rest_.size() ? end + 1 : end);
    if (!member.empty()) return true;
  }
  return false;
}

}  // namespace servery::http
