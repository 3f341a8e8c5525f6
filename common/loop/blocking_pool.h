// The only way off the loop: a few threads of our own (not libuv's global pool) and bounded queues.
// Made and used on the loop's thread; `work` runs on a pool thread, `done` on the loop in a later
// turn. Lanes keep one kind of work from taking every thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/base/result.h"
#include "common/loop/loop.h"

namespace servery {

enum class Lane : std::uint8_t {
  kPath,  // opens, stats, small reads: short unless the disk is slow
  kBulk,  // windows of large files
};
inline constexpr std::size_t kLaneCount = 2;

class BlockingPool {
  struct Task;

 public:
  struct Options {
    unsigned threads = 4;
    std::size_t queue = 256;  // jobs waiting for a thread, over all lanes
    // Threads one lane may hold; 0: all but one (all of a pool of one).
    std::array<unsigned, kLaneCount> lane_threads{};
  };
  struct Counts {
    std::size_t queued = 0;
    std::size_t running = 0;
    std::uint64_t refused = 0;
  };

  // The interest in a job's outcome. Destroying it detaches: a waiting job is dropped, a running
  // one finishes unobserved; `done` is destroyed at once and never called.
  class Job {
   public:
    Job() = default;
    Job(Job&&) noexcept = default;
    Job& operator=(Job&& other) noexcept;
    ~Job() { detach(); }
    void detach();
    // True until `done` is called.
    explicit operator bool() const;

   private:
    friend class BlockingPool;
    explicit Job(std::shared_ptr<Task> task) : task_(std::move(task)) {}
    std::shared_ptr<Task> task_;
  };

  static Result<std::unique_ptr<BlockingPool>> create(Loop& loop, const Options& options);
  // Drops what waits, waits for what runs, calls no `done`.
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // kBusy when the queue is full. `work` and `done` are destroyed on the loop's thread; what they
  // share is theirs to share (a shared_ptr captured by both). `work` must not throw.
  Result<Job> run(Lane lane, std::function<void()> work, std::function<void()> done);
  Counts counts() const;

 private:
  struct LaneQueue {
    std::deque<std::shared_ptr<Task>> waiting;
    unsigned running = 0;
    unsigned limit = 1;
  };

  explicit BlockingPool(const Options& options);
  Status start(unsigned threads);
  void work_until_stopped();
  std::shared_ptr<Task> take(std::unique_lock<std::mutex>& lock);
  void deliver_finished();

  std::size_t queue_limit_;
  mutable std::mutex mutex_;
  std::condition_variable work_added_;
  std::array<LaneQueue, kLaneCount> lanes_;      // guarded by mutex_
  std::size_t queued_ = 0;                       // guarded by mutex_
  std::size_t next_lane_ = 0;                    // guarded by mutex_
  bool stopping_ = false;                        // guarded by mutex_
  std::vector<std::shared_ptr<Task>> finished_;  // guarded by mutex_
  std::uint64_t refused_ = 0;                    // loop thread
  Handle<uv_async_t, BlockingPool*> wake_;
  std::vector<std::thread> threads_;
};

}  // namespace servery
