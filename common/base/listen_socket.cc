#include "common/base/listen_socket.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace servery {
namespace {

constexpr std::uint32_t kTcpFlagsOffset = 13;  // RFC 9293 3.1: the byte with SYN, ACK, RST
constexpr std::uint32_t kFlagSyn = 0x02;
constexpr std::uint32_t kFlagRst = 0x04;
constexpr std::uint32_t kFlagAck = 0x10;
constexpr std::uint32_t kAccept = 0xffffffff;

sock_filter statement(int code, std::uint32_t operand) {
  return {static_cast<std::uint16_t>(code), 0, 0, operand};
}

sock_filter jump(int code, std::uint32_t operand, std::uint8_t if_true, std::uint8_t if_false) {
  return {static_cast<std::uint16_t>(code), if_true, if_false, operand};
}

Status attach(int fd, int option, std::vector<sock_filter>& code, std::string_view what) {
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (setsockopt(fd, SOL_SOCKET, option, &program, sizeof program) != 0) {
    return fail_errno(what, errno);
  }
  return {};
}

}  // namespace

Status select_members(int fd, const std::vector<std::uint32_t>& indices) {
  const std::size_t count = std::min(indices.size(), kMaxSelected);
  if (count == 0) return fail(Errc::kInvalid, "no member to select");
  std::vector<sock_filter> code;
  code.reserve(2 * count + 2);
  if (count > 1) {
    code.push_back(statement(BPF_LD | BPF_W | BPF_ABS,
                             static_cast<std::uint32_t>(SKF_AD_OFF + SKF_AD_RANDOM)));
    code.push_back(statement(BPF_ALU | BPF_MOD | BPF_K, static_cast<std::uint32_t>(count)));
  }
  for (std::size_t i = 0; i + 1 < count; ++i) {
    code.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(i), 0, 1));
    code.push_back(statement(BPF_RET | BPF_K, indices[i]));
  }
  code.push_back(statement(BPF_RET | BPF_K, indices[count - 1]));
  return attach(fd, SO_ATTACH_REUSEPORT_CBPF, code, "SO_ATTACH_REUSEPORT_CBPF");
}

Status select_all_members(int fd) {
  const int unused = 0;
  if (setsockopt(fd, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused, sizeof unused) != 0 &&
      errno != ENOENT) {
    return fail_errno("SO_DETACH_REUSEPORT_BPF", errno);
  }
  return {};
}

Status drop_new_connections(int fd) {
  // The filter of a TCP socket sees the segment from its TCP header on.
  std::vector<sock_filter> code{
      statement(BPF_LD | BPF_B | BPF_ABS, kTcpFlagsOffset),
      statement(BPF_ALU | BPF_AND | BPF_K, kFlagSyn | kFlagAck | kFlagRst),
      jump(BPF_JMP | BPF_JEQ | BPF_K, kFlagSyn, 0, 1),
      statement(BPF_RET | BPF_K, 0),
      statement(BPF_RET | BPF_K, kAccept),
  };
  return attach(fd, SO_ATTACH_FILTER, code, "SO_ATTACH_FILTER");
}

Status accept_new_connections(int fd) {
  const int unused = 0;
  if (setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused) != 0 &&
      errno != ENOENT) {
    return fail_errno("SO_DETACH_FILTER", errno);
  }
  return {};
}

Status set_defer_accept(int fd, int seconds) {
  if (setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) != 0) {
    return fail_errno("TCP_DEFER_ACCEPT", errno);
  }
  return {};
}

}  // namespace servery
