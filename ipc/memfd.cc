#include "ipc/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace servery::ipc {
namespace {

struct TextHeader {
  std::uint32_t magic;
  std::uint32_t layout;
  std::uint64_t size;
};
constexpr std::uint32_t kMagic = 0x54565253;  // "SRVT"
constexpr std::uint32_t kLayout = 1;
constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

Status write_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno("write to memfd", errno);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return {};
}

Status read_exactly(int fd, void* data, std::size_t size, off_t offset) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::pread(fd, at, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read from memfd", errno);
    if (got == 0) return fail(Errc::kInvalid, "memfd is shorter than its header says");
    at += got;
    offset += got;
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace

Result<UniqueFd> seal_text(const char* name, std::string_view text) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return fail_errno("memfd_create", errno);
  const TextHeader header{kMagic, kLayout, text.size()};
  SERVERY_TRY(write_all(fd.get(), &header, sizeof(header)));
  SERVERY_TRY(write_all(fd.get(), text.data(), text.size()));
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return fail_errno("seal memfd", errno);
  return fd;
}

Result<std::string> read_sealed_text(int fd, std::size_t max) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) return fail(Errc::kInvalid, "memfd is not sealed");
  TextHeader header{};
  SERVERY_TRY(read_exactly(fd, &header, sizeof(header), 0));
  if (header.magic != kMagic || header.layout != kLayout) {
    return fail(Errc::kUnsupported, "memfd has an unknown layout");
  }
  if (header.size > max) return fail(Errc::kTooLarge, "memfd holds too much");
  std::string text(header.size, '\0');
  SERVERY_TRY(read_exactly(fd, text.data(), text.size(), sizeof(header)));
  return text;
}

Result<UniqueFd> duplicate(int fd) {
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno("duplicate a descriptor", errno);
  return copy;
}

}  // namespace servery::ipc
