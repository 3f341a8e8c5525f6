// Result<T>, Error and SERVERY_TRY: the one error vocabulary of every role and layer.
// Exceptions do not cross a file: the few third-party calls that throw are caught where they are
// made.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace servery {

// What went wrong, as far as a caller may act on it. `http/error_response` maps a code to a status
// once; common/base/exit_code.h has the exit codes of a process.
enum class Errc {
  kInvalid,      // the input breaks a rule (syntax, range, type)
  kNotFound,     // the named thing does not exist
  kForbidden,    // exists, but may not be used (EACCES, EPERM, outside the root)
  kExists,       // exists already, or the address is in use
  kTooLarge,     // over a stated limit
  kUnsupported,  // legal, but not implemented or not offered by this kernel
  kBusy,         // a bounded queue or budget is full; a later try may succeed
  kTimeout,      // a deadline passed
  kClosed,       // the peer went away
  kExhausted,    // out of descriptors, memory or disk
  kIo,           // any other system error
  kInternal,     // a broken invariant
};

// Stable lower-case name ("not_found"), used in logs and JSON.
std::string_view errc_name(Errc code);

struct Error {
  Errc code = Errc::kInternal;
  std::string text;  // for operators and authors; never sent to a client
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Errc code, std::string text = {}) {
  return tl::unexpected<Error>(Error{code, std::move(text)});
}

// The code for an errno value; the one place that maps errno.
Errc errc_from_errno(int error_number);
// "what: strerror", with the mapped code.
tl::unexpected<Error> fail_errno(std::string_view what, int error_number);

// TRY as a sentence: `auto fd = SERVERY_TRY(open_root(path));` returns the Error to the caller.
// (A GNU statement expression; both compilers of the project have it.)
#define SERVERY_TRY(expression)                                                       \
  __extension__({                                                                     \
    auto servery_try_result = (expression);                                           \
    if (!servery_try_result) [[unlikely]]                                             \
      return tl::unexpected<::servery::Error>(std::move(servery_try_result).error()); \
    ::servery::detail::unwrap(std::move(servery_try_result));                         \
  })

namespace detail {
template <typename T>
T unwrap(Result<T>&& result) {
  return std::move(*result);
}
inline void unwrap(Status&&) {}
}  // namespace detail

}  // namespace servery
