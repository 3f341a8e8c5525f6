// Byte-level text rules: ASCII only, no locale, no allocation unless a string is returned. Pure.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servery {

constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool equals_ignore_case(std::string_view a, std::string_view b);
std::string to_lower(std::string_view text);
// Without leading and trailing SP and HTAB (OWS, RFC 9110 5.6.3).
std::string_view trim_ows(std::string_view text);
bool starts_with_ignore_case(std::string_view text, std::string_view prefix);

// Decimal digits only, whole text, no sign, no overflow.
template <std::unsigned_integral T>
std::optional<T> parse_unsigned(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Decodes %XX once. nullopt for a broken escape.
std::optional<std::string> percent_decode(std::string_view text);
// Appends %XX for everything but unreserved characters (RFC 3986 2.3): a segment, a name.
void append_percent_encoded(std::string& out, std::string_view text);
// The same, '/' kept (a path for a Location field or a link).
std::string percent_encode_path(std::string_view path);

// Text and attribute values: the five characters that mean something in HTML as references.
void append_html_escaped(std::string& out, std::string_view text);

// The candidate closest to `word` by edit distance (a transposition is one edit), if close enough
// to be a likely slip.
std::optional<std::string_view> nearest_name(std::string_view word,
                                             const std::vector<std::string_view>& candidates);

}  // namespace servery
