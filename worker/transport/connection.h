// One accepted connection: its stream, its protocol, its place in the loop and its deadline. Owned
// by Connections; destroyed at the end of the turn in which it closes. Worker thread only. Idle it
// costs this object, its stream, its protocol and one loop handle, and no buffer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/loop/watch.h"
#include "worker/net/byte_stream.h"
#include "worker/transport/context.h"
#include "worker/transport/deadlines.h"
#include "worker/transport/protocol.h"

namespace servery::transport {

// The client's address as text, without allocation.
class PeerAddress {
 public:
  PeerAddress() = default;  // a Unix socket's
  PeerAddress(std::string_view text, std::uint16_t port);
  std::string_view text() const { return {text_.data(), size_}; }
  std::uint16_t port() const { return port_; }

 private:
  std::array<char, 45> text_{};  // INET6_ADDRSTRLEN - 1
  std::uint8_t size_ = 0;
  std::uint16_t port_ = 0;
};

class Connection final : private FdWatcher, private DeadlineClient {
 public:
  // What its first bytes are.
  enum class Start : std::uint8_t { kHttp, kProxyHeader };

  // `listener`: its name, for hand-over. `requests`: answered on it by workers before.
  Connection(TransportContext& context, ConnectionOwner& owner, UniqueFd socket,
             const PeerAddress& peer, std::uint32_t listener, Start start, std::uint64_t requests);

  // Reads at once: a request that came with the connection may be answered, and the connection
  // closed, without the loop ever hearing of it.
  void begin();
  // Waits for the next request; for connections taken over.
  void begin_idle();

  // ---- for the protocol ----
  net::ByteStream& stream() { return *stream_; }
  // Who has connected; behind a PROXY header, whom that names.
  const PeerAddress& peer() const { return peer_; }
  // The PROXY header is read; `rest` came with it. Ends the calling protocol with the turn.
  void become_http(const PeerAddress& peer, std::span<char> rest);
  // Which deadline runs; see Deadlines::arm.
  void wait_for(Waiting what, bool restart) {
    if (what == Waiting::kWrite && (restart || waiting() != what)) unsent_ = stream_->unsent();
    context_.deadlines.arm(*this, what, restart);
  }
  // Asks the loop for what the protocol wants now; after every change that no event of this
  // connection brought about.
  void settle();
  // The end; the protocol is called no more.
  void close();
  void report_idle() { owner_.on_idle(*this); }

  // ---- for the owner ----
  using DeadlineClient::waiting;
  void drain() { protocol_->on_drain(); }
  // Ends it now, whatever is going on.
  void cut();
  bool is_idle() const { return !is_closed_ && protocol_->is_idle(); }
  // Between suspend() and resume() no event comes: another worker may be reading.
  void suspend();
  void resume();
  bool is_suspended() const { return is_suspended_; }
  std::uint32_t listener() const { return listener_; }
  std::uint64_t requests() const { return protocol_->requests(); }
  std::uint32_t index = 0;  // in the owner's table

 private:
  void on_ready(int events) override;
  void on_deadline(Waiting what) override;
  void read_some();
  void lose();
  void watch(int events);

  TransportContext& context_;
  ConnectionOwner& owner_;
  std::unique_ptr<net::ByteStream> stream_;
  FdWatch watch_;  // after stream_: stops first
  std::unique_ptr<Protocol> protocol_;
  std::uint32_t listener_;
  PeerAddress peer_;
  bool fin_seen_ = false;     // announced by the loop, perhaps not yet read
  std::uint64_t unsent_ = 0;  // when the wait for the peer to take it began
  bool is_closed_ = false;
  bool is_suspended_ = false;
};

}  // namespace servery::transport
