#include "common/base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

constexpr std::size_t kMebibyte = 1024 * 1024;

tl::unexpected<Error> fail_reading() {
  const Errc code = errno == ENOENT ? Errc::kNotFound : Errc::kIo;
  return fail(code, std::strerror(errno));
}

}  // namespace

Result<std::string> read_regular_file(const std::string& path, std::size_t max) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_reading();
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return fail_reading();
  if (!S_ISREG(status.st_mode)) return fail(Errc::kInvalid, "not a regular file");
  std::string text(max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_reading();
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > max) {
    const bool in_mebibytes = max % kMebibyte == 0;
    return fail(Errc::kTooLarge,
                fmt::format("larger than {} {}", in_mebibytes ? max / kMebibyte : max,
                            in_mebibytes ? "MiB" : "bytes"));
  }
  text.resize(size);
  return text;
}

}  // namespace servery
