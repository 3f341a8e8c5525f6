#include "worker/transport/listener.h"

#include <sys/socket.h>

#include <utility>

#include "common/base/log.h"

namespace servery::transport {

Result<std::unique_ptr<Listener>> Listener::create(Loop& loop, ListenSocket socket,
                                                   std::uint32_t number, ListenerOwner& owner) {
  std::unique_ptr<Listener> listener(new Listener(loop, std::move(socket), number, owner));
  listener->watch_ = SERVERY_TRY(FdWatch::create(loop, listener->fd(), *listener));
  SERVERY_TRY(listener->watch_.set_events(FdWatch::kReadable));
  return listener;
}

void Listener::poll(bool on) {
  if (const Status set = watch_.set_events(on ? FdWatch::kReadable : 0); !set) {
    log::error("listener_poll_failed",
               {{"listener", socket_.listener}, {"error", set.error().text}});
  }
}

void Listener::on_ready(int events) {
  if ((events & FdWatch::kFailed) != 0) {
    // The watch has stopped. Reading the pending error clears it; then polling goes on.
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    log::warning("listener_error", {{"listener", socket_.listener}, {"errno", error}});
    poll(true);
    return;
  }
  owner_.on_acceptable(*this);
}

void Listener::leave(Milliseconds limit) {
  if (leaving_) return;
  auto half_open = HalfOpenWatch::begin(fd());
  leaving_.emplace(Leaving{half_open ? std::optional(std::move(*half_open)) : std::nullopt,
                           loop_.now() + limit, Timer(loop_, [this] { look(); })});
  leaving_->timer.start_once(Milliseconds{1});
}

// First the handshakes, then the queue: one that completes in between is in the queue.
void Listener::look() {
  std::size_t half_open = 0;
  if (leaving_->half_open) {
    const Result<std::size_t> remaining = leaving_->half_open->remaining();
    half_open = remaining.value_or(0);
  }
  owner_.on_acceptable(*this);
  if (half_open > 0 && loop_.now() < leaving_->until) {
    leaving_->timer.start_once(kLookInterval);
    return;
  }
  owner_.on_left(*this, static_cast<std::uint32_t>(half_open));  // may destroy this
}

}  // namespace servery::transport
