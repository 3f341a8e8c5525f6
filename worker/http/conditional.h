// Conditional requests: the whole ladder of RFC 9110 13.2.2 and If-Range (13.1.5). Pure values.
#pragma once

#include <cstdint>
#include <string_view>

#include "worker/http/fields.h"

namespace servery::http {

// What identifies the selected representation. Views are loans for the call.
struct Validators {
  std::string_view etag;                 // as sent, with quotes and W/; empty: none
  std::int64_t last_modified = 0;        // Unix seconds
  bool last_modified_is_strong = false;  // at least a second older than now (RFC 9110 8.8.2.2)
  bool has_last_modified = true;         // else dates are ignored (RFC 9110 13.1.3, 13.1.4)
};

enum class Precondition : std::uint8_t {
  kProceed,
  kNotModified,  // 304, GET and HEAD only
  kFailed,       // 412
};

// True if any field of the ladder is present: the common request asks for nothing here.
bool has_preconditions(const RequestFields& fields);
// `exists` is false where no representation is there yet (PUT of a new name).
Precondition evaluate_preconditions(const RequestFields& fields, bool is_get_or_head, bool exists,
                                    const Validators& validators, std::int64_t now);
// Whether the Range field applies: no If-Range, or one that matches strongly.
bool if_range_holds(const RequestFields& fields, const Validators& validators, std::int64_t now);

// RFC 9110 8.8.3.2. Both as sent.
bool etags_match_strong(std::string_view a, std::string_view b);
bool etags_match_weak(std::string_view a, std::string_view b);

}  // namespace servery::http
