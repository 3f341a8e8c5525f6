#include "worker/body/content_digester.h"

#include <utility>

namespace servery::body {
namespace {

constexpr unsigned kThreads = 1;
constexpr std::size_t kQueue = 64;
constexpr std::size_t kMostKept = 4096;  // some 200 bytes each

std::string full_key(Digest::Algorithm algorithm, const std::string& key) {
  return static_cast<char>(algorithm) + key;
}

// Empty: the bytes could not be had, or nobody waits any more.
std::string digest_of(Producer& bytes, Digest::Algorithm algorithm,
                      const std::atomic<bool>& is_cancelled) {
  Digest digest(algorithm);
  std::string piece;
  for (auto outcome = Producer::Outcome::kMore; outcome == Producer::Outcome::kMore;) {
    piece.clear();
    outcome = bytes.produce(piece);
    if (is_cancelled || outcome == Producer::Outcome::kFailed) return {};
    digest.add(piece);
  }
  return digest.finish();
}

}  // namespace

Result<std::unique_ptr<ContentDigester>> ContentDigester::create(Loop& loop) {
  BlockingPool::Options options;
  options.threads = kThreads;
  options.queue = kQueue;
  options.lane_threads.fill(kThreads);
  auto pool = SERVERY_TRY(BlockingPool::create(loop, options));
  return std::unique_ptr<ContentDigester>(new ContentDigester(std::move(pool)));
}

ContentDigester::ContentDigester(std::unique_ptr<BlockingPool> pool)
    : pool_(std::move(pool)), flights_(*pool_, Lane::kBulk) {}

const std::string* ContentDigester::find(Digest::Algorithm algorithm, const std::string& key) {
  const auto found = index_.find(full_key(algorithm, key));
  if (found == index_.end()) return nullptr;
  ++reused_;
  kept_.splice(kept_.begin(), kept_, found->second);
  return &found->second->digest;
}

bool ContentDigester::compute(http::Exchange& exchange, Digest::Algorithm algorithm, Input input,
                              Done done) {
  const std::string key = full_key(algorithm, input.key);
  auto waiter = flights_.join(
      key,
      [algorithm, input = std::move(input)](Outcome& outcome,
                                            const std::atomic<bool>& is_cancelled) {
        outcome.digest = digest_of(*input.bytes, algorithm, is_cancelled);
        outcome.may_keep = !outcome.digest.empty() && input.may_keep && input.may_keep();
      },
      [this, key, done = std::move(done)](Outcome& outcome) {
        if (outcome.may_keep) keep(key, outcome.digest);
        done(outcome.digest);
      });
  if (!waiter) {
    ++saturated_;
    return false;
  }
  exchange.set_task(std::move(*waiter));
  return true;
}

void ContentDigester::keep(const std::string& key, const std::string& digest) {
  if (index_.contains(key)) return;
  if (kept_.size() == kMostKept) {
    index_.erase(kept_.back().key);
    kept_.pop_back();
  }
  kept_.push_front({key, digest});
  index_.emplace(kept_.front().key, kept_.begin());
}

ContentDigester::Counts ContentDigester::counts() const {
  return {.computed = flights_.started(),
          .joined = flights_.joined(),
          .reused = reused_,
          .saturated = saturated_,
          .in_flight = flights_.size(),
          .kept = kept_.size()};
}

}  // namespace servery::body
