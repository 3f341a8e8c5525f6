#include "worker/transport/acceptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "common/base/log.h"

namespace servery::transport {
namespace {

constexpr int kMaxAccepts = 32;        // a wake, so that accepted connections get their turn
constexpr int kMaxSharedAccepts = 4;   // other workers poll the same queue
constexpr int kMaxLeavingRounds = 64;  // of kMaxAccepts
// Descriptors that no connection takes, so that admitted ones can still have files opened.
constexpr int kKeptForFiles = 16;

constexpr std::string_view kOverloaded =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 20\r\n"
    "Retry-After: 1\r\n"
    "Connection: close\r\n"
    "\r\n"
    "Service Unavailable\n";

PeerAddress peer_of(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &ipv4.sin_addr, text.data(), text.size());
    return {text.data(), ntohs(ipv4.sin_port)};
  }
  if (address.ss_family == AF_INET6) {
    const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &ipv6.sin6_addr, text.data(), text.size());
    return {text.data(), ntohs(ipv6.sin6_port)};
  }
  return {};
}

// The first descriptor number that a connection may not have.
int admission_end() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto most = std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max());
  return std::max(static_cast<int>(most) - kKeptForFiles, 1);
}

UniqueFd open_reserve() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

Acceptor::Acceptor(TransportContext& context, Connections& connections, AcceptorEvents& events)
    : context_(context),
      connections_(connections),
      events_(events),
      admission_end_(admission_end()),
      reserve_(open_reserve()),
      resume_(context.loop, [this] {
        for (const auto& listener : listeners_) listener->poll(true);
      }) {}

Acceptor::~Acceptor() = default;

std::uint32_t Acceptor::number_of(std::string_view name) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return static_cast<std::uint32_t>(i);
  }
  names_.emplace_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

Status Acceptor::add(ListenSocket socket) {
  const std::uint32_t number = number_of(socket.listener);
  listeners_.push_back(
      SERVERY_TRY(Listener::create(context_.loop, std::move(socket), number, *this)));
  return {};
}

void Acceptor::remove_slot(unsigned slot) {
  std::erase_if(listeners_, [slot](const auto& listener) {
    return listener->socket().slot == slot && !listener->is_leaving();
  });
}

void Acceptor::remove_all_but_leaving() {
  std::erase_if(listeners_, [](const auto& listener) { return !listener->is_leaving(); });
}

bool Acceptor::leave(std::string_view name, unsigned slot, Milliseconds limit) {
  for (const auto& listener : listeners_) {
    if (listener->socket().listener != name || listener->socket().slot != slot) continue;
    listener->leave(limit);
    return true;
  }
  return false;
}

void Acceptor::on_left(Listener& listener, std::uint32_t leftover) {
  context_.metrics.add(Metric::kLeavingLeftover, leftover);
  for (auto& owned : listeners_) {
    if (owned.get() != &listener) continue;
    const std::string name = listener.socket().listener;
    const unsigned slot = listener.socket().slot;
    owned.reset();  // closes the socket before anybody hears of it
    std::erase(listeners_, nullptr);
    events_.on_socket_empty(name, slot, leftover);
    return;
  }
}

void Acceptor::on_acceptable(Listener& listener) {
  if (!listener.is_leaving()) {
    const int most = listener.socket().shared ? kMaxSharedAccepts : kMaxAccepts;
    for (int i = 0; i < most && accept_one(listener); ++i) continue;
    return;
  }
  for (int i = 0; i < kMaxAccepts * kMaxLeavingRounds && accept_one(listener); ++i) {
    context_.metrics.add(Metric::kLeavingAccepted);
  }
}

// False when there is nothing more to accept now.
bool Acceptor::accept_one(Listener& listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  UniqueFd socket(::accept4(listener.fd(), reinterpret_cast<sockaddr*>(&address), &size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) {
    context_.metrics.add(Metric::kAccepted);
    // It may have come after an answer of this turn: what was proved for that is no proof for it.
    context_.loop.next_turn();
    admit(listener, std::move(socket), peer_of(address));
    return true;
  }
  switch (errno) {
    case EAGAIN:
      return false;
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:  // a firewall's word
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH:  // errors of that connection (accept(2))
      context_.metrics.add(Metric::kAcceptErrors);
      return true;
    case EMFILE:
    case ENFILE:
      return shed_without_descriptor(listener);
    default:
      log::error("accept_failed", {{"listener", listener.socket().listener}, {"errno", errno}});
      context_.metrics.add(Metric::kAcceptErrors);
      pause_all();
      return false;
  }
}

void Acceptor::admit(Listener& listener, UniqueFd socket, const PeerAddress& peer) {
  if (socket.get() >= admission_end_) {  // the kernel gives the lowest number that is free
    shed(std::move(socket), Metric::kShedDescriptors);
    return;
  }
  const AddressSet* proxies = listener.socket().proxies.get();
  if (proxies != nullptr && !proxies->contains(peer.text())) {
    context_.metrics.add(Metric::kProxyHeaderUnlisted);
    return;
  }
  const auto start =
      proxies != nullptr ? Connection::Start::kProxyHeader : Connection::Start::kHttp;
  Connection* connection = connections_.open(socket, peer, listener.number(), start, 0, false);
  if (connection == nullptr) {
    shed(std::move(socket), Metric::kShedConnections);
    return;
  }
  connection->begin();
}

// The answer is given where it can be without waiting; what the client sent is taken first, because
// closing with unread input sends RST and may destroy the answer.
void Acceptor::shed(UniqueFd socket, Metric reason) {
  context_.metrics.add(reason);
  const std::span<char> buffer = context_.read_buffer();
  [[maybe_unused]] const ssize_t read =
      ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  [[maybe_unused]] const ssize_t sent =
      ::send(socket.get(), kOverloaded.data(), kOverloaded.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool Acceptor::shed_without_descriptor(Listener& listener) {
  reserve_.reset();
  UniqueFd socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  const int error = socket ? 0 : errno;
  if (socket) shed(std::move(socket), Metric::kShedDescriptors);
  reserve_ = open_reserve();
  if (error == EAGAIN) return false;
  if (error == 0 && reserve_) return true;
  // Somebody else took the descriptor (the pool, another process): a rest instead of a spin.
  pause_all();
  return false;
}

void Acceptor::pause_all() {
  for (const auto& listener : listeners_) listener->poll(false);
  resume_.start_once(kPause);
}

}  // namespace servery::transport
