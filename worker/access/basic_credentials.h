// The Authorization field of the Basic scheme (RFC 7617): what it holds, or nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace servery::access {

// Wiped when it goes: the password does not stay in freed memory.
struct Credentials {
  Credentials() = default;
  Credentials(Credentials&&) noexcept = default;
  ~Credentials();

  std::string text;       // "USER:PASSWORD", decoded
  std::size_t colon = 0;  // the first one: a password may hold more (RFC 7617 2)

  std::string_view user() const { return std::string_view(text).substr(0, colon); }
  std::string_view password() const { return std::string_view(text).substr(colon + 1); }
};

// Whether the field is of this scheme at all (RFC 9110 11.1: in any case of letters).
bool is_basic(std::string_view authorization);

// Nothing for another scheme, broken base64 (RFC 4648 4, with its padding), no colon, an empty
// user, a control character, or more than 1 KiB. The bytes are taken as UTF-8 and compared as they
// are: what a client does not send in NFC (RFC 7617 2.1) is another name.
std::optional<Credentials> parse_basic(std::string_view authorization);

}  // namespace servery::access
