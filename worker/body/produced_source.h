// A body that is made piece by piece on the pool: listings, archives. One piece is made while the
// one before it is sent, so memory stays at two pieces; a client that leaves ends the work with
// the piece at hand. Owned by its exchange; worker thread, Producer::produce on pool threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/loop/blocking_pool.h"
#include "common/loop/timer.h"
#include "worker/http/body.h"

namespace servery::body {

class Producer {
 public:
  enum class Outcome : std::uint8_t { kMore, kEnd, kFailed };
  virtual ~Producer() = default;
  // Appends the next bytes to `into` (empty, its capacity kept): about kPiece of them, or none with
  // kMore when the time slice is over. One call at a time; none after kEnd or kFailed.
  virtual Outcome produce(std::string& into) = 0;

  static constexpr std::size_t kPiece = std::size_t{256} * 1024;
};

class ProducedSource final : public http::BodySource {
 public:
  // `length`: of everything, if known. `holds` lives as long as the source (a place in a limit).
  ProducedSource(Loop& loop, BlockingPool& pool, std::shared_ptr<Producer> producer,
                 std::optional<std::uint64_t> length, std::shared_ptr<const void> holds);
  ~ProducedSource() override;

  void set_waiter(http::SourceWaiter* waiter) override { waiter_ = waiter; }
  std::optional<std::uint64_t> length() const override { return length_; }
  Pull pull(std::span<char> into) override;
  bool take_back(std::size_t bytes) override;

 private:
  struct Making;

  void make_next();
  void on_made();

  Loop& loop_;
  BlockingPool& pool_;
  std::optional<std::uint64_t> length_;
  std::shared_ptr<const void> holds_;
  http::SourceWaiter* waiter_ = nullptr;
  std::string piece_;  // being sent
  std::size_t sent_ = 0;
  bool is_made_ = false;     // making_ holds the next piece
  bool is_waiting_ = false;  // pull() said kPending
  Producer::Outcome outcome_ = Producer::Outcome::kMore;
  std::shared_ptr<Making> making_;  // shared with the job, which may outlive this
  std::optional<Timer> retry_;      // the pool's queue was full
  BlockingPool::Job job_;
};

}  // namespace servery::body
