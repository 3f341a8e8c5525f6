#include "worker/body/produced_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace servery::body {
namespace {

constexpr Milliseconds kProducerRetry{10};

}  // namespace

// What the pool works on.
struct ProducedSource::Making {
  std::shared_ptr<Producer> producer;
  std::string piece;
  Producer::Outcome outcome = Producer::Outcome::kMore;

  void make() { outcome = producer->produce(piece); }
};

ProducedSource::ProducedSource(Loop& loop, BlockingPool& pool, std::shared_ptr<Producer> producer,
                               std::optional<std::uint64_t> length,
                               std::shared_ptr<const void> holds)
    : loop_(loop),
      pool_(pool),
      length_(length),
      holds_(std::move(holds)),
      making_(std::make_shared<Making>()) {
  making_->producer = std::move(producer);
}

ProducedSource::~ProducedSource() = default;

ProducedSource::Pull ProducedSource::pull(std::span<char> into) {
  if (sent_ == piece_.size() && is_made_) {
    piece_.swap(making_->piece);
    making_->piece.clear();
    sent_ = 0;
    is_made_ = false;
  }
  const bool is_making = job_ || (retry_ && retry_->is_active());
  if (!is_made_ && !is_making && outcome_ == Producer::Outcome::kMore) make_next();
  if (sent_ < piece_.size()) {
    const std::size_t n = std::min(into.size(), piece_.size() - sent_);
    std::memcpy(into.data(), piece_.data() + sent_, n);
    sent_ += n;
    return {State::kBytes, n};
  }
  if (is_made_ || outcome_ == Producer::Outcome::kMore) {
    is_waiting_ = true;
    return {State::kPending, 0};
  }
  return {outcome_ == Producer::Outcome::kEnd ? State::kEnd : State::kError, 0};
}

bool ProducedSource::take_back(std::size_t bytes) {
  sent_ -= bytes;
  return true;
}

void ProducedSource::make_next() {
  auto job = pool_.run(
      Lane::kBulk, [making = making_] { making->make(); }, [this] { on_made(); });
  if (job) {
    job_ = std::move(*job);
    return;
  }
  if (!retry_) retry_.emplace(loop_, [this] { make_next(); });
  retry_->start_once(kProducerRetry);
}

void ProducedSource::on_made() {
  outcome_ = making_->outcome;
  if (making_->piece.empty() && outcome_ == Producer::Outcome::kMore) {
    make_next();
    return;
  }
  is_made_ = !making_->piece.empty();
  if (std::exchange(is_waiting_, false)) waiter_->on_source_ready();  // may destroy this
}

}  // namespace servery::body
