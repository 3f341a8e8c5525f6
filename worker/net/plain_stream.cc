#include "worker/net/plain_stream.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace servery::net {
namespace {

ByteStream::Result from_errno(int error_number) {
  if (error_number == EAGAIN || error_number == EWOULDBLOCK) return {ByteStream::Io::kAgain, 0, 0};
  return {ByteStream::Io::kError, 0, error_number};
}

}  // namespace

ByteStream::Result PlainStream::read(std::span<char> into) {
  while (true) {
    const ssize_t n = ::recv(socket_.get(), into.data(), into.size(), 0);
    if (n > 0) return {Io::kOk, static_cast<std::size_t>(n), 0};
    if (n == 0) return {Io::kEnd, 0, 0};
    if (errno != EINTR) return from_errno(errno);
  }
}

ByteStream::Result PlainStream::write(std::span<const iovec> parts) {
  while (true) {
    ssize_t n = 0;
    if (parts.size() == 1) {
      n = ::send(socket_.get(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL);
    } else {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(parts.data());  // sendmsg does not write through it
      message.msg_iovlen = parts.size();
      n = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    }
    if (n >= 0) return {Io::kOk, static_cast<std::size_t>(n), 0};
    if (errno != EINTR) return from_errno(errno);
  }
}

std::uint64_t PlainStream::unsent() const {
  int bytes = 0;
  return ::ioctl(socket_.get(), SIOCOUTQ, &bytes) == 0 && bytes > 0
             ? static_cast<std::uint64_t>(bytes)
             : 0;
}

void PlainStream::shutdown_write() { ::shutdown(socket_.get(), SHUT_WR); }

}  // namespace servery::net
