#include "client.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "engine.h"

namespace hammer {
namespace {

constexpr auto kReconnectPause = std::chrono::milliseconds(100);
constexpr std::uint64_t kFirstRead = 1024;  // of a slow download, before its first step

int port_of(int fd) {
  sockaddr_storage storage{};
  socklen_t length = sizeof(storage);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return 0;
  if (storage.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(storage).sin_port);
  if (storage.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<sockaddr_in6&>(storage).sin6_port);
  return 0;
}

bool is_slow(Work work) { return work == Work::kSlowGet || work == Work::kSlowPost; }

}  // namespace

Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

ModeCounts& Client::counts() { return engine_.report().of(mode_); }

void Client::start(Mode mode, Time scheduled) {
  mode_ = mode;
  scheduled_ = scheduled;
  connect();
}

void Client::connect() {
  const Address& address = engine_.options().address;
  ++counts().connections;
  state_ = State::kConnecting;
  stage_ = engine_.stage();
  close_announced_ = false;
  fd_ = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return fail(std::strerror(errno));
  if (traits(mode_).work == Work::kSlowGet) {
    const int bytes = 32 * 1024;  // so that the server feels the slow reader
    setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
  }
  // On the loopback interface the handshake is over after the first call, and the second says so: a
  // hammer that is behind must not leave connections silent that are not meant to be.
  int error = EINPROGRESS;
  for (int call = 0; call < 2 && error == EINPROGRESS; ++call) {
    const int result =
        ::connect(fd_, reinterpret_cast<const sockaddr*>(&address.storage), address.length);
    error = result == 0 ? 0 : errno;
  }
  local_port_ = port_of(fd_);
  if (error != 0 && error != EINPROGRESS && error != EALREADY) return fail(std::strerror(error));
  engine_.watch(fd_, *this);
  engine_.arm(*this, Clock::now() + engine_.timeout());
  if (error == 0) pause(traits(mode_).first_pause);
}

void Client::on_io(std::uint32_t events) {
  switch (state_) {
    case State::kGone:
      return;
    case State::kConnecting: {
      int error = 0;
      socklen_t length = sizeof(error);
      getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length);
      if (error != 0) return fail(std::strerror(error));
      if ((events & EPOLLOUT) != 0) pause(traits(mode_).first_pause);
      return;
    }
    case State::kPausing:
      peer_still_there();
      return;
    case State::kBusy:
      flush();
      receive();
      return;
  }
}

void Client::on_timer() {
  switch (state_) {
    case State::kGone:
      return;
    case State::kConnecting:
      return fd_ < 0 ? connect() : fail("timeout");
    case State::kPausing:
      if (peer_still_there()) begin();
      return;
    case State::kBusy:
      if (Clock::now() >= deadline_) return fail("timeout");
      step_slow_transfer();
      return;
  }
}

void Client::stop() {
  if (state_ == State::kPausing || (state_ == State::kConnecting && fd_ < 0)) leave();
}

void Client::pause(std::chrono::milliseconds most) {
  if (engine_.stopping()) return leave();
  state_ = State::kPausing;
  if (most.count() == 0) {
    if (peer_still_there()) begin();
    return;
  }
  engine_.arm(*this, Clock::now() + engine_.random_part(most));
}

// Looks whether the peer closed before the first byte of the next request; leaves if so.
bool Client::peer_still_there() {
  char byte;
  const ssize_t n = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n == 0) {
    ++counts().stale_closes;
    leave();
  } else {
    fail(n > 0 ? "bytes without a request" : "reset before the first byte");
  }
  return false;
}

void Client::compose() {
  const ModeTraits& mode = traits(mode_);
  output_.clear();
  expected_.clear();
  next_ = 0;
  for (unsigned i = 0; i < mode.burst; ++i) {
    const bool post = mode.work == Work::kPost || mode.work == Work::kSlowPost;
    const Expectation& expectation = engine_.next_expectation(mode.work);
    expected_.push_back(&expectation);
    output_ += (post ? "POST " : "GET ") + expectation.path + " HTTP/1.1\r\nHost: ";
    output_ += engine_.options().host + "\r\n";
    if (!mode.reuse) output_ += "Connection: close\r\n";
    if (post) {
      const std::size_t body = mode.work == Work::kSlowPost ? kUploadBytes : kPostBytes;
      output_ += "Content-Length: " + std::to_string(body) + "\r\n\r\n";
      output_.append(body, 'u');
    } else {
      output_ += "\r\n";
    }
  }
}

void Client::begin() {
  const ModeTraits& mode = traits(mode_);
  const Time now = Clock::now();
  compose();
  state_ = State::kBusy;
  sent_ = 0;
  send_limit_ = mode.work == Work::kSlowPost ? output_.size() - kUploadBytes + 1 : output_.size();
  bytes_read_ = 0;
  read_budget_ = mode.work == Work::kSlowGet ? kFirstRead : UINT64_MAX;
  reader_.start(*expected_.front());
  begun_ = mode_ == Mode::kFresh ? scheduled_ : now;
  deadline_ = now + engine_.timeout() + (is_slow(mode.work) ? kSlowStep * kSlowSteps : 0ms);
  counts().requests += mode.burst;
  engine_.arm(*this, is_slow(mode.work) ? now + kSlowStep : deadline_);
  flush();
}

// By the clock: a step that comes late is larger, so that a hammer without time to spare does not
// make a transfer last longer than the drain it is to outlive.
void Client::step_slow_transfer() {
  const std::uint64_t steps = static_cast<std::uint64_t>((Clock::now() - begun_) / kSlowStep);
  const auto share = [steps](std::uint64_t whole) { return whole * steps / kSlowSteps + steps; };
  if (traits(mode_).work == Work::kSlowPost) {
    const std::uint64_t head = output_.size() - kUploadBytes;
    send_limit_ = std::min<std::uint64_t>(output_.size(), head + 1 + share(kUploadBytes));
  } else {
    const std::uint64_t allowed = kFirstRead + share(expected_.front()->length);
    read_budget_ = allowed - std::min(allowed, bytes_read_);
  }
  engine_.arm(*this, Clock::now() + kSlowStep);
  flush();
  receive();
}

// A failed send is not yet a verdict: the answer may be on its way.
void Client::flush() {
  while (sent_ < send_limit_) {
    const ssize_t n = ::send(fd_, output_.data() + sent_, send_limit_ - sent_, MSG_NOSIGNAL);
    if (n < 0) return;
    sent_ += static_cast<std::size_t>(n);
  }
}

void Client::receive() {
  std::array<char, 65536> buffer;
  while (state_ == State::kBusy && read_budget_ > 0) {
    const std::uint64_t want = std::min<std::uint64_t>(buffer.size(), read_budget_);
    const ssize_t n = ::recv(fd_, buffer.data(), static_cast<std::size_t>(want), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0)
      return fail(reader_.started() ? "reset within an answer" : "reset without an answer");
    if (n == 0) return fail(reader_.started() ? "truncated" : "closed without an answer");
    bytes_read_ += static_cast<std::uint64_t>(n);
    if (read_budget_ != UINT64_MAX) read_budget_ -= static_cast<std::uint64_t>(n);
    if (!consume({buffer.data(), static_cast<std::size_t>(n)})) return;
  }
}

// False once the exchange is over, one way or the other.
bool Client::consume(std::string_view bytes) {
  while (!bytes.empty()) {
    if (next_ == expected_.size()) {
      fail("bytes after the answer");
      return false;
    }
    const ResponseReader::Step step = reader_.feed(bytes);
    if (step == ResponseReader::Step::kWrong) {
      fail(reader_.problem());
      return false;
    }
    if (step == ResponseReader::Step::kComplete) answered();
  }
  if (next_ < expected_.size()) return true;
  finish_exchange();
  return false;
}

void Client::answered() {
  ++counts().completed;
  counts().latency.add(Clock::now() - begun_);
  close_announced_ = close_announced_ || reader_.close_announced();
  if (++next_ < expected_.size()) reader_.start(*expected_[next_]);
}

void Client::finish_exchange() {
  const bool whole_request_sent = sent_ == output_.size();
  if (!traits(mode_).reuse || close_announced_ || !whole_request_sent) return leave();
  pause(traits(mode_).pause);
}

void Client::fail(const std::string& reason) {
  if (state_ == State::kConnecting) return fail_connect(reason);
  const bool busy = state_ == State::kBusy;
  const auto waited = busy ? Clock::now() - begun_ : Clock::duration{};
  const std::size_t lost = busy ? std::max<std::size_t>(expected_.size() - next_, 1) : 1;
  for (std::size_t i = 0; i < lost; ++i)
    engine_.report().failed({mode_, reason, stage_, local_port_, waited});
  leave();
}

// A client that keeps its connection tries a new one after a pause: a refused connect must not
// spin.
void Client::fail_connect(const std::string& reason) {
  engine_.report().connect_failed({mode_, reason, stage_, local_port_, {}});
  if (traits(mode_).arrives || engine_.stopping()) return leave();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  engine_.arm(*this, Clock::now() + kReconnectPause);
}

// The end of this connection: a new one, or none.
void Client::leave() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!traits(mode_).arrives && !engine_.stopping()) return connect();
  state_ = State::kGone;
  engine_.retire(*this);
}

}  // namespace hammer
