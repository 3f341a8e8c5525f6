#include "worker/transport/deadlines.h"

#include <algorithm>

namespace servery::transport {

void DeadlineClient::unlink() {
  if (next_ == nullptr) return;
  previous_->next_ = next_;
  next_->previous_ = previous_;
  previous_ = next_ = nullptr;
}

void DeadlineClient::link_before(DeadlineClient& place) {
  previous_ = place.previous_;
  next_ = &place;
  previous_->next_ = this;
  place.previous_ = this;
}

Deadlines::Deadlines(Loop& loop, const Durations& durations)
    : loop_(loop), durations_(durations), timer_(loop, [this] { on_tick(); }) {
  for (Anchor& anchor : lists_) anchor.next_ = anchor.previous_ = &anchor;
}

void Deadlines::arm(DeadlineClient& client, Waiting what, bool restart) {
  if (client.waiting_ == what && client.is_linked() && !restart) return;
  // The header deadline begins at accept, so a first byte does not move it.
  const bool goes_on =
      client.waiting_ == Waiting::kFirstByte && what == Waiting::kHead && client.is_linked();
  client.waiting_ = what;
  if (goes_on) return;
  client.unlink();
  const Milliseconds duration = durations_[static_cast<std::size_t>(what)];
  if (duration == Milliseconds{0}) return;
  client.due_ = loop_.now() + duration;
  client.link_before(list(what));
  if (client.due_ < scheduled_) schedule(client.due_);
}

void Deadlines::schedule(SteadyTime due) {
  scheduled_ = due;
  const auto delay = std::chrono::ceil<Milliseconds>(due - loop_.now());
  timer_.start_once(std::max(delay, kTick));
}

void Deadlines::on_tick() {
  const SteadyTime now = loop_.now();
  int budget = kMaxPerTick;
  SteadyTime next = SteadyTime::max();
  for (Anchor& anchor : lists_) {
    while (anchor.next_ != &anchor && anchor.next_->due_ <= now && budget-- > 0) {
      DeadlineClient& client = *anchor.next_;
      client.unlink();
      client.on_deadline(client.waiting_);
    }
    if (anchor.next_ != &anchor) next = std::min(next, anchor.next_->due_);
  }
  scheduled_ = SteadyTime::max();
  if (next != SteadyTime::max()) schedule(next);
}

}  // namespace servery::transport
