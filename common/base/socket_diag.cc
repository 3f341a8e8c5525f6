#include "common/base/socket_diag.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "common/base/unique_fd.h"

namespace servery {
namespace {

constexpr std::size_t kReplyBytes = 32 * 1024;

struct Request {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

TcpSocket to_socket(const inet_diag_msg& message) {
  TcpSocket socket;
  socket.family = message.idiag_family;
  const std::size_t bytes = message.idiag_family == AF_INET ? 4 : 16;
  std::memcpy(socket.local.data(), message.id.idiag_src, bytes);
  std::memcpy(socket.remote.data(), message.id.idiag_dst, bytes);
  socket.local_port = ntohs(message.id.idiag_sport);
  socket.remote_port = ntohs(message.id.idiag_dport);
  socket.inode = message.idiag_inode;
  socket.uid = message.idiag_uid;
  return socket;
}

bool has_v6_only(std::span<const std::byte> attributes) {
  while (attributes.size() >= sizeof(nlattr)) {
    nlattr attribute;
    std::memcpy(&attribute, attributes.data(), sizeof attribute);
    if (attribute.nla_len < sizeof attribute || attribute.nla_len > attributes.size()) break;
    if (attribute.nla_type == INET_DIAG_SKV6ONLY && attribute.nla_len > sizeof attribute) {
      return attributes[sizeof attribute] != std::byte{0};
    }
    const std::size_t step = NLA_ALIGN(attribute.nla_len);
    attributes = attributes.subspan(std::min(step, attributes.size()));
  }
  return false;
}

// One datagram of the dump; true when it was the last.
Result<bool> read_reply(std::span<const std::byte> reply, std::vector<TcpSocket>& out) {
  while (reply.size() >= sizeof(nlmsghdr)) {
    nlmsghdr header;
    std::memcpy(&header, reply.data(), sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > reply.size()) break;
    const auto payload = reply.subspan(sizeof header, header.nlmsg_len - sizeof header);
    if (header.nlmsg_type == NLMSG_DONE) return true;
    if (header.nlmsg_type == NLMSG_ERROR) {
      return fail(Errc::kUnsupported, "the kernel lists no sockets");
    }
    if (payload.size() >= sizeof(inet_diag_msg)) {
      inet_diag_msg message;
      std::memcpy(&message, payload.data(), sizeof message);
      out.push_back(to_socket(message));
      out.back().v6_only = has_v6_only(payload.subspan(sizeof message));
    }
    const std::size_t step = NLMSG_ALIGN(header.nlmsg_len);
    reply = reply.subspan(std::min(step, reply.size()));
  }
  return false;
}

Status dump(int family, std::uint32_t state, std::uint16_t port, std::vector<TcpSocket>& out) {
  const UniqueFd netlink(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return fail(Errc::kUnsupported, "the kernel lists no sockets");
  Request request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.sdiag_family = static_cast<std::uint8_t>(family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = 1U << state;
  request.body.id.idiag_sport = htons(port);
  if (send(netlink.get(), &request, sizeof request, 0) < 0) return fail_errno("sock_diag", errno);
  std::vector<std::byte> buffer(kReplyBytes);
  while (true) {
    const ssize_t size = recv(netlink.get(), buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail_errno("sock_diag", size == 0 ? EIO : errno);
    const std::span<const std::byte> reply(buffer.data(), static_cast<std::size_t>(size));
    if (SERVERY_TRY(read_reply(reply, out))) return {};
  }
}

Result<TcpSocket> address_of(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) {
    return fail_errno("getsockname", errno);
  }
  TcpSocket address;
  address.family = storage.ss_family;
  if (storage.ss_family == AF_INET) {
    sockaddr_in ipv4;
    std::memcpy(&ipv4, &storage, sizeof ipv4);
    std::memcpy(address.local.data(), &ipv4.sin_addr, 4);
    address.local_port = ntohs(ipv4.sin_port);
  } else if (storage.ss_family == AF_INET6) {
    sockaddr_in6 ipv6;
    std::memcpy(&ipv6, &storage, sizeof ipv6);
    std::memcpy(address.local.data(), &ipv6.sin6_addr, 16);
    address.local_port = ntohs(ipv6.sin6_port);
  }
  return address;
}

bool is_wildcard(const TcpSocket& socket) {
  return std::all_of(socket.local.begin(), socket.local.end(), [](auto byte) { return byte == 0; });
}

}  // namespace

Result<std::vector<TcpSocket>> list_listening(std::uint16_t port) {
  std::vector<TcpSocket> sockets;
  SERVERY_TRY(dump(AF_INET, TCP_LISTEN, port, sockets));
  SERVERY_TRY(dump(AF_INET6, TCP_LISTEN, port, sockets));
  return sockets;
}

Result<HalfOpenWatch> HalfOpenWatch::begin(int listen_fd) {
  HalfOpenWatch watch(SERVERY_TRY(address_of(listen_fd)));
  watch.pending_ = SERVERY_TRY(watch.list());
  return watch;
}

Result<std::size_t> HalfOpenWatch::remaining() {
  if (pending_.empty()) return std::size_t{0};
  const std::set<TcpSocket> now = SERVERY_TRY(list());
  std::erase_if(pending_, [&now](const TcpSocket& socket) { return !now.contains(socket); });
  return pending_.size();
}

Result<std::set<TcpSocket>> HalfOpenWatch::list() const {
  std::set<TcpSocket> found;
  if (address_.local_port == 0) return found;
  std::vector<TcpSocket> sockets;
  SERVERY_TRY(dump(address_.family, TCP_SYN_RECV, address_.local_port, sockets));
  const bool any = is_wildcard(address_);
  for (const TcpSocket& socket : sockets) {
    if (any || socket.local == address_.local) found.insert(socket);
  }
  return found;
}

}  // namespace servery
