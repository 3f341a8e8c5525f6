// bench/limit: what HTTP costs when the server does nothing. One thread, raw epoll, every answer
// ready in memory, one read and one write a request; heads are searched, not parsed. It is the
// control of every run: its ratio to a real server is known, so when it is off, the machine was not
// quiet.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/limit/answers.h"
#include "common/base/privileges.h"
#include "common/base/text.h"
#include "common/base/unique_fd.h"

namespace servery::bench {
namespace {

constexpr std::size_t kMaxConnections = 20'000;
constexpr int kBacklog = 4096;
constexpr int kAcceptsPerWake = 64;

struct Connection {
  UniqueFd fd;
  std::string_view unsent;  // of a ready answer, or of `own`
  std::string own;          // a burst of pipelined answers, a 206
  bool close = false;
};

std::string_view field(std::string_view head, std::string_view name) {
  const std::size_t at = head.find(name);
  if (at == head.npos) return {};
  const std::size_t start = at + name.size();
  return head.substr(start, head.find("\r\n", start) - start);
}

class Limit {
 public:
  Limit(Answers answers, UniqueFd listener, UniqueFd epoll)
      : answers_(std::move(answers)), listener_(std::move(listener)), epoll_(std::move(epoll)) {
    connections_.resize(kMaxConnections);
    watch(listener_.get(), EPOLLIN, EPOLL_CTL_ADD);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 1024> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        event.data.fd == listener_.get() ? accept_some() : on_event(event);
      }
    }
  }

 private:
  void watch(int fd, std::uint32_t events, int operation) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_.get(), operation, fd, &event);
  }

  // Answers at once what came with the connection: a short one never enters the epoll set.
  void accept_some() {
    for (int i = 0; i < kAcceptsPerWake; ++i) {
      UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd) return;
      if (static_cast<std::size_t>(fd.get()) >= connections_.size()) continue;
      Connection& c = connections_[static_cast<std::size_t>(fd.get())];
      c.unsent = {};
      c.close = false;
      c.fd = std::move(fd);
      if (receive(c)) watch(c.fd.get(), c.unsent.empty() ? EPOLLIN : EPOLLOUT, EPOLL_CTL_ADD);
    }
  }

  void on_event(const epoll_event& event) {
    Connection& c = connections_[static_cast<std::size_t>(event.data.fd)];
    if (!c.unsent.empty()) {
      if (send(c) && c.unsent.empty()) watch(c.fd.get(), EPOLLIN, EPOLL_CTL_MOD);
      return;
    }
    if (receive(c) && !c.unsent.empty()) watch(c.fd.get(), EPOLLOUT, EPOLL_CTL_MOD);
  }

  // False once the connection is closed.
  bool receive(Connection& c) {
    const ssize_t n = ::recv(c.fd.get(), buffer_.data(), buffer_.size(), 0);
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) return end(c);
    std::string_view bytes(buffer_.data(), static_cast<std::size_t>(n));
    bool first = true;
    while (!bytes.empty()) {
      const std::size_t size = bytes.find("\r\n\r\n");
      if (size == bytes.npos || !answer(c, bytes.substr(0, size + 2), first)) return end(c);
      bytes.remove_prefix(size + 4);
      first = false;
    }
    return send(c);
  }

  // A single answer is sent from where it is; several are gathered.
  bool answer(Connection& c, std::string_view head, bool first) {
    const Answer* found = answers_.find(head.substr(4, head.find(' ', 4) - 4));
    if (!head.starts_with("GET ") || found == nullptr) return false;
    c.close = head.find("Connection: close") != head.npos;
    std::string_view whole = c.close ? found->close : found->keep;
    if (head.find("If-None-Match: ") != head.npos) whole = found->not_modified;
    if (const std::string_view range = field(head, "Range: "); !range.empty()) {
      if (!first || !make_partial(range, found->body, c.own)) return false;
      c.unsent = c.own;
    } else if (first) {
      c.unsent = whole;
    } else {
      if (c.unsent.data() != c.own.data()) c.own.assign(c.unsent);
      c.own.append(whole);
      c.unsent = c.own;
    }
    return true;
  }

  bool send(Connection& c) {
    while (!c.unsent.empty()) {
      const ssize_t n = ::send(c.fd.get(), c.unsent.data(), c.unsent.size(), MSG_NOSIGNAL);
      if (n < 0) return errno == EAGAIN ? true : end(c);
      c.unsent.remove_prefix(static_cast<std::size_t>(n));
    }
    return c.close ? end(c) : true;
  }

  static bool end(Connection& c) {
    c.fd.reset();
    return false;
  }

  Answers answers_;
  UniqueFd listener_;
  UniqueFd epoll_;
  std::vector<Connection> connections_;  // by descriptor
  std::array<char, 64 * 1024> buffer_;
};

Result<UniqueFd> listen_on(std::uint16_t port, bool defer) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int one = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));  // inherited
  if (defer) ::setsockopt(fd.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    return fail_errno("listen", errno);
  }
  return fd;
}

Status serve(std::uint16_t port, const std::string& root, bool defer) {
  Answers answers = SERVERY_TRY(Answers::load(root));
  SERVERY_TRY(raise_descriptor_limit(kMaxConnections));
  UniqueFd listener = SERVERY_TRY(listen_on(port, defer));
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  Limit(std::move(answers), std::move(listener), std::move(epoll)).run();
}

int run(int argc, char** argv) {
  const bool defer = argc == 4 && std::string_view(argv[3]) == "defer";
  const auto port = argc >= 3 ? parse_unsigned<std::uint16_t>(argv[1]) : std::nullopt;
  if (!port || (argc != 3 && !defer)) {
    std::fprintf(stderr, "usage: limit PORT FOLDER [defer]\n");
    return 2;
  }
  const Status status = serve(*port, argv[2], defer);
  std::fprintf(stderr, "limit: %s\n", status.error().text.c_str());
  return 1;
}

}  // namespace
}  // namespace servery::bench

int main(int argc, char** argv) { return servery::bench::run(argc, argv); }
