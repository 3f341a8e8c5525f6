// One listening socket in the loop, and its leaving: accept until the queue is empty and no
// handshake that had begun is left (architecture section 8, rule 6 c). Owned by the Acceptor;
// worker thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/cidr.h"
#include "common/base/socket_diag.h"
#include "common/base/unique_fd.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"

namespace servery::transport {

// A listening socket as the supervisor handed it over. Identity over reloads: (listener, slot).
struct ListenSocket {
  std::string listener;  // its name
  unsigned slot = 0;
  UniqueFd fd;
  bool shared = false;  // one socket polled by all workers: few accepts a wake
  bool is_unix = false;
  std::string configured{};  // the address of the configuration that it serves
  // Who may connect, and begins with a PROXY header; null: anybody, without one.
  std::shared_ptr<const AddressSet> proxies = nullptr;
};

class Listener;

class ListenerOwner {
 public:
  virtual void on_acceptable(Listener& listener) = 0;
  // The last call: nothing is left to accept, or the time is over.
  virtual void on_left(Listener& listener, std::uint32_t leftover) = 0;

 protected:
  ~ListenerOwner() = default;
};

class Listener final : private FdWatcher {
 public:
  static Result<std::unique_ptr<Listener>> create(Loop& loop, ListenSocket socket,
                                                  std::uint32_t number, ListenerOwner& owner);

  int fd() const { return socket_.fd.get(); }
  const ListenSocket& socket() const { return socket_; }
  std::uint32_t number() const { return number_; }
  bool is_leaving() const { return leaving_.has_value(); }

  void poll(bool on);
  void leave(Milliseconds limit);

 private:
  struct Leaving {
    std::optional<HalfOpenWatch> half_open;
    SteadyTime until;
    Timer timer;
  };
  static constexpr Milliseconds kLookInterval{20};

  Listener(Loop& loop, ListenSocket socket, std::uint32_t number, ListenerOwner& owner)
      : loop_(loop), socket_(std::move(socket)), number_(number), owner_(owner) {}
  void on_ready(int events) override;
  void look();

  Loop& loop_;
  ListenSocket socket_;
  std::uint32_t number_;
  ListenerOwner& owner_;
  FdWatch watch_;  // after socket_: stops first
  std::optional<Leaving> leaving_;
};

}  // namespace servery::transport
