#include "bench/load/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace servery::bench {

bool Connection::open(std::uint16_t port) {
  fd_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  first_ = under_way_ = 0;
  asked_ = 0;
  answered_ = false;
  ends_ = false;
  unsent_.clear();
  if (!fd_) return false;
  const int one = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ||
         errno == EINPROGRESS;
}

void Connection::ask(const Pending& pending) {
  if (under_way_ == 0) reader_.begin(*pending.target, pending.compare);
  ring_[(first_ + under_way_) % ring_.size()] = pending;
  ++under_way_;
  ++asked_;
  unsent_ += pending.last ? pending.target->last_request : pending.target->request;
}

Connection::Io Connection::flush() {
  while (!unsent_.empty()) {
    const ssize_t sent = ::send(fd_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == ENOTCONN ? Io::kBlocked : Io::kReset;
    unsent_.erase(0, static_cast<std::size_t>(sent));
  }
  return Io::kDone;
}

Connection::Io Connection::receive(char* buffer, std::size_t size, AnswerSink& sink) {
  const ssize_t received = ::recv(fd_.get(), buffer, size, 0);
  if (received < 0) return errno == EAGAIN ? Io::kBlocked : Io::kReset;
  if (received == 0) return Io::kEnd;
  return take({buffer, static_cast<std::size_t>(received)}, sink);
}

Connection::Io Connection::take(std::string_view bytes, AnswerSink& sink) {
  while (!bytes.empty()) {
    if (under_way_ == 0) return Io::kMalformed;  // more than was asked for
    const AnswerReader::State state = reader_.feed(bytes);
    if (state == AnswerReader::State::kMalformed) return Io::kMalformed;
    if (state != AnswerReader::State::kDone) continue;
    const Pending& answered = ring_[first_];
    answered_ = true;
    ends_ = ends_ || answered.last || reader_.server_closes();
    sink.on_answer(answered, reader_);
    first_ = (first_ + 1) % ring_.size();
    if (--under_way_ > 0) reader_.begin(*ring_[first_].target, ring_[first_].compare);
  }
  return Io::kDone;
}

}  // namespace servery::bench
