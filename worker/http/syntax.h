// The character rules of HTTP (RFC 9110 5.6, RFC 3986) as table look-ups, one copy for every codec
// and rule. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace servery::http {

bool is_token(std::string_view text);  // RFC 9110 5.6.2; false for an empty text
// HTAB, SP, VCHAR, obs-text (RFC 9110 5.5); true for an empty text.
bool is_field_value(std::string_view text);
bool is_token_char(char c);
// Lowercases the token that `begin` starts with, in place; returns where it ends.
char* lowercase_token(char* begin, char* end);

// Walks the members of a comma list (RFC 9110 5.6.1); empty members are skipped as a recipient
// must. Commas inside quoted strings do not separate.
class ListCursor {
 public:
  explicit ListCursor(std::string_view value) : rest_(value) {}
  // The next member without surrounding OWS; false at the end.
  bool next(std::string_view& member);

 private:
  std::string_view rest_;
};

}  // namespace servery::http
