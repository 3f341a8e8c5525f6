#include "ipc/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace servery::ipc {
namespace {

// Room for the descriptors of one message. A peer that sends more is cut by MSG_CTRUNC.
constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(int) * kMaxMessageFds);

struct ControlBuffer {
  alignas(cmsghdr) std::array<char, kControlBytes> bytes{};
};

void put_descriptors(msghdr& header, ControlBuffer& control, const std::vector<UniqueFd>& fds) {
  if (fds.empty()) return;
  const std::size_t size = sizeof(int) * fds.size();
  header.msg_control = control.bytes.data();
  header.msg_controllen = CMSG_SPACE(size);
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(size);
  for (std::size_t i = 0; i < fds.size(); ++i) {
    const int fd = fds[i].get();
    std::memcpy(CMSG_DATA(part) + i * sizeof(int), &fd, sizeof(int));
  }
}

std::vector<UniqueFd> take_descriptors(msghdr& header) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> Channel::create_pair() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    return fail_errno("socketpair", errno);
  }
  return std::make_pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Status Channel::send(Packet packet) {
  SERVERY_TRY(flush());
  if (queue_.empty()) {
    if (SERVERY_TRY(try_send(packet))) return {};
  }
  if (queue_.size() >= kMaxQueued) return fail(Errc::kBusy, "ipc queue full");
  queue_.push_back(std::move(packet));
  return {};
}

Status Channel::flush() {
  while (!queue_.empty()) {
    if (!SERVERY_TRY(try_send(queue_.front()))) return {};
    queue_.pop_front();
  }
  return {};
}

Result<bool> Channel::try_send(const Packet& packet) {
  ControlBuffer control;
  iovec data{const_cast<char*>(packet.bytes.data()), packet.bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  put_descriptors(header, control, packet.fds);
  ssize_t sent;
  do {
    sent = ::sendmsg(fd_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return true;
  if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
  return fail_errno("send to ipc peer", errno);
}

Result<std::optional<Packet>> Channel::receive() {
  ControlBuffer control;
  Packet packet;
  packet.bytes.resize(kMaxMessageBytes);
  iovec data{packet.bytes.data(), packet.bytes.size()};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  ssize_t got;
  do {
    got = ::recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return std::optional<Packet>();
    return fail_errno("receive from ipc peer", errno);
  }
  packet.fds = take_descriptors(header);
  packet.lost_fds = (header.msg_flags & MSG_CTRUNC) != 0;
  // With all that a message may have, there were more; with fewer, it was this process that had
  // none left.
  const bool too_many = packet.lost_fds && packet.fds.size() >= kMaxMessageFds;
  if ((header.msg_flags & MSG_TRUNC) != 0 || too_many) {
    return fail(Errc::kTooLarge, "ipc message truncated");
  }
  // No message is empty (the type byte), so nothing read is the end.
  if (got == 0) return fail(Errc::kClosed, "ipc peer gone");
  packet.bytes.resize(static_cast<std::size_t>(got));
  return std::optional<Packet>(std::move(packet));
}

}  // namespace servery::ipc
