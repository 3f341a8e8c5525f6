#include "common/base/result.h"

#include <cerrno>
#include <system_error>

namespace servery {

std::string_view errc_name(Errc code) {
  switch (code) {
    case Errc::kInvalid:
      return "invalid";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kForbidden:
      return "forbidden";
    case Errc::kExists:
      return "exists";
    case Errc::kTooLarge:
      return "too_large";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kBusy:
      return "busy";
    case Errc::kTimeout:
      return "timeout";
    case Errc::kClosed:
      return "closed";
    case Errc::kExhausted:
      return "exhausted";
    case Errc::kIo:
      return "io";
    case Errc::kInternal:
      return "internal";
  }
  return "internal";
}

Errc errc_from_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return Errc::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case EXDEV:
    case ELOOP:
      return Errc::kForbidden;
    case EEXIST:
    case EADDRINUSE:
      return Errc::kExists;
    case ENAMETOOLONG:
    case E2BIG:
    case EFBIG:
    case EMSGSIZE:
      return Errc::kTooLarge;
    case ENOSYS:
    case EOPNOTSUPP:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
      return Errc::kUnsupported;
    case EAGAIN:
    case EBUSY:
      return Errc::kBusy;
    case ETIMEDOUT:
      return Errc::kTimeout;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
      return Errc::kClosed;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case ENOSPC:
    case EDQUOT:
      return Errc::kExhausted;
    case EINVAL:
      return Errc::kInvalid;
    default:
      return Errc::kIo;
  }
}

tl::unexpected<Error> fail_errno(std::string_view what, int error_number) {
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(error_number);
  return fail(errc_from_errno(error_number), std::move(text));
}

}  // namespace servery
