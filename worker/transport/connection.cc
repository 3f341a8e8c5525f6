#include "worker/transport/connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "worker/net/plain_stream.h"
#include "worker/transport/h1_protocol.h"
#include "worker/transport/proxy_header_protocol.h"

namespace servery::transport {

PeerAddress::PeerAddress(std::string_view text, std::uint16_t port)
    : size_(static_cast<std::uint8_t>(std::min(text.size(), text_.size()))), port_(port) {
  std::memcpy(text_.data(), text.data(), size_);
}

Connection::Connection(TransportContext& context, ConnectionOwner& owner, UniqueFd socket,
                       const PeerAddress& peer, std::uint32_t listener, Start start,
                       std::uint64_t requests)
    : context_(context),
      owner_(owner),
      stream_(std::make_unique<net::PlainStream>(std::move(socket))),
      listener_(listener),
      peer_(peer) {
  if (start == Start::kProxyHeader) {
    protocol_ = std::make_unique<ProxyHeaderProtocol>(*this, context);
  } else {
    protocol_ = std::make_unique<H1Protocol>(*this, context, requests);
  }
}

void Connection::become_http(const PeerAddress& peer, std::span<char> rest) {
  peer_ = peer;
  auto http = std::make_unique<H1Protocol>(*this, context_, 0);
  context_.loop.destroy_later(std::exchange(protocol_, std::move(http)));
  if (!rest.empty()) {
    protocol_->on_bytes(rest);
  } else if (context_.drain != Drain::kNone) {
    protocol_->on_drain();
  } else {
    settle();
  }
}

void Connection::begin() {
  wait_for(context_.drain == Drain::kAtOnce ? Waiting::kGrace : Waiting::kFirstByte, true);
  read_some();
  if (!is_closed_ && context_.drain == Drain::kHandOver && is_idle()) owner_.on_idle(*this);
  settle();
}

void Connection::begin_idle() {
  wait_for(requests() == 0 ? Waiting::kFirstByte : Waiting::kKeepAlive, true);
  settle();
}

void Connection::on_ready(int events) {
  if ((events & FdWatch::kFailed) != 0) {
    lose();
    return;
  }
  if ((events & FdWatch::kDisconnect) != 0) fin_seen_ = true;
  if ((events & FdWatch::kWritable) != 0) protocol_->on_writable();
  if ((events & (FdWatch::kReadable | FdWatch::kDisconnect)) == 0 || is_closed_ || is_suspended_) {
    return;
  }
  if ((protocol_->wants() & Protocol::kBytes) != 0) {
    read_some();
  } else {
    // Nothing can be read now: the event would come again and again.
    watch((protocol_->wants() & Protocol::kWritable) != 0 ? FdWatch::kWritable : 0);
    settle();
  }
}

// The protocol settles after all that it is told.
void Connection::read_some() {
  do {
    const std::span<char> buffer = context_.read_buffer();
    const net::ByteStream::Result result = stream_->read(buffer);
    switch (result.io) {
      case net::ByteStream::Io::kOk:
        protocol_->on_bytes(buffer.first(result.bytes));
        break;
      case net::ByteStream::Io::kAgain:
        return;
      case net::ByteStream::Io::kEnd:
        fin_seen_ = true;
        protocol_->on_peer_closed();
        return;
      case net::ByteStream::Io::kError:
        lose();
        return;
    }
  } while (!is_closed_ && stream_->has_buffered_input() &&
           (protocol_->wants() & Protocol::kBytes) != 0);
}

void Connection::settle() {
  if (is_closed_ || is_suspended_) return;
  const int wants = protocol_->wants();
  static_assert(Protocol::kBytes == FdWatch::kReadable &&
                Protocol::kWritable == FdWatch::kWritable);
  if (wants != 0) {
    watch(wants);
  } else if (!watch_ || watch_.events() == 0 || (watch_.events() & FdWatch::kWritable) != 0) {
    // A handler works. Where reading is on it stays so: a short wait is not worth two calls, and
    // on_ready stops what would repeat.
    watch(fin_seen_ ? 0 : FdWatch::kDisconnect);
  }
}

void Connection::watch(int events) {
  if (!watch_) {
    if (events == 0) return;
    auto created = FdWatch::create(context_.loop, stream_->fd(), *this);
    if (!created) {
      lose();
      return;
    }
    watch_ = std::move(*created);
  }
  if (!watch_.set_events(events)) lose();
}

void Connection::lose() {
  if (is_closed_) return;
  protocol_->on_lost();
  close();
}

void Connection::cut() { lose(); }

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  watch_.reset();
  context_.deadlines.disarm(*this);
  owner_.on_closed(*this);
}

void Connection::on_deadline(Waiting what) {
  // The socket is writable again only when a third of its buffer is free: a slow reader may have
  // taken much since, and goes on.
  if (what == Waiting::kWrite && stream_->unsent() < unsent_) {
    wait_for(what, true);
    return;
  }
  if (is_closed_ || is_suspended_) return;
  protocol_->on_deadline(what);
}

void Connection::suspend() {
  is_suspended_ = true;
  watch_.reset();
}

void Connection::resume() {
  is_suspended_ = false;
  const bool is_fresh = requests() == 0 && context_.drain != Drain::kAtOnce;
  wait_for(is_fresh ? Waiting::kFirstByte : Waiting::kGrace, !is_fresh);
  settle();
}

}  // namespace servery::transport
