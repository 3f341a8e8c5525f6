#include "common/loop/blocking_pool.h"

#include <signal.h>

#include <algorithm>
#include <system_error>

namespace servery {

struct BlockingPool::Task {
  std::function<void()> work;
  std::function<void()> done;    // loop thread; empty once detached or called
  BlockingPool* pool = nullptr;  // loop thread; null once delivered or the pool is gone
  Lane lane = Lane::kPath;
};

BlockingPool::Job& BlockingPool::Job::operator=(Job&& other) noexcept {
  if (this != &other) {
    detach();
    task_ = std::move(other.task_);
  }
  return *this;
}

BlockingPool::Job::operator bool() const { return task_ != nullptr && task_->done != nullptr; }

void BlockingPool::Job::detach() {
  if (task_ == nullptr) return;
  const std::shared_ptr<Task> task = std::move(task_);
  task_.reset();
  task->done = nullptr;
  if (task->pool == nullptr) return;
  const std::lock_guard lock(task->pool->mutex_);
  auto& waiting = task->pool->lanes_[static_cast<std::size_t>(task->lane)].waiting;
  if (const auto found = std::find(waiting.begin(), waiting.end(), task); found != waiting.end()) {
    waiting.erase(found);
    --task->pool->queued_;
    task->pool = nullptr;
  }
}

BlockingPool::BlockingPool(const Options& options) : queue_limit_(options.queue) {
  const unsigned threads = std::max(1U, options.threads);
  const unsigned shared = std::max(1U, threads - 1);
  for (std::size_t i = 0; i < kLaneCount; ++i) {
    const unsigned wanted = options.lane_threads[i];
    lanes_[i].limit = wanted == 0 ? shared : std::min(wanted, threads);
  }
}

Result<std::unique_ptr<BlockingPool>> BlockingPool::create(Loop& loop, const Options& options) {
  std::unique_ptr<BlockingPool> pool(new BlockingPool(options));
  pool->wake_ = SERVERY_TRY((Handle<uv_async_t, BlockingPool*>::create(
      "blocking pool", pool.get(), [&loop](uv_async_t* async) {
        return uv_async_init(loop.raw(), async, [](uv_async_t* handle) {
          Handle<uv_async_t, BlockingPool*>::state_of(handle)->deliver_finished();
        });
      })));
  SERVERY_TRY(pool->start(std::max(1U, options.threads)));
  return pool;
}

Status BlockingPool::start(unsigned threads) {
  // Threads inherit the mask: signals belong to the loop's thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work_until_stopped(); });
  } catch (const std::system_error& error) {
    status = fail(Errc::kExhausted, std::string("start pool thread: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

BlockingPool::~BlockingPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (LaneQueue& lane : lanes_) {
      for (const auto& task : lane.waiting) {
        task->pool = nullptr;
        finished_.push_back(task);
      }
      lane.waiting.clear();
    }
    queued_ = 0;
  }
  work_added_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const auto& task : finished_) {
    task->pool = nullptr;
    task->done = nullptr;
    task->work = nullptr;
  }
}

Result<BlockingPool::Job> BlockingPool::run(Lane lane, std::function<void()> work,
                                            std::function<void()> done) {
  auto task = std::make_shared<Task>();
  task->work = std::move(work);
  task->done = std::move(done);
  task->pool = this;
  task->lane = lane;
  {
    const std::lock_guard lock(mutex_);
    if (queued_ >= queue_limit_) {
      ++refused_;
      return fail(Errc::kBusy, "blocking pool: queue full");
    }
    lanes_[static_cast<std::size_t>(lane)].waiting.push_back(task);
    ++queued_;
  }
  work_added_.notify_one();
  return Job(std::move(task));
}

BlockingPool::Counts BlockingPool::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts{.queued = queued_, .refused = refused_};
  for (const LaneQueue& lane : lanes_) counts.running += lane.running;
  return counts;
}

// The next job of a lane that may use another thread, lanes in turn; null when stopping.
std::shared_ptr<BlockingPool::Task> BlockingPool::take(std::unique_lock<std::mutex>& lock) {
  while (!stopping_) {
    for (std::size_t i = 0; i < kLaneCount; ++i) {
      LaneQueue& lane = lanes_[(next_lane_ + i) % kLaneCount];
      if (lane.waiting.empty() || lane.running >= lane.limit) continue;
      next_lane_ = (next_lane_ + i + 1) % kLaneCount;
      auto task = std::move(lane.waiting.front());
      lane.waiting.pop_front();
      --queued_;
      ++lane.running;
      return task;
    }
    work_added_.wait(lock);
  }
  return nullptr;
}

void BlockingPool::work_until_stopped() {
  std::unique_lock lock(mutex_);
  while (auto task = take(lock)) {
    lock.unlock();
    task->work();
    lock.lock();
    --lanes_[static_cast<std::size_t>(task->lane)].running;
    finished_.push_back(std::move(task));
    if (!stopping_) uv_async_send(wake_.get());
  }
}

void BlockingPool::deliver_finished() {
  std::vector<std::shared_ptr<Task>> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(finished_);
  }
  for (const auto& task : batch) task->pool = nullptr;
  for (const auto& task : batch) {  // `this` may be destroyed by a `done`
    task->work = nullptr;
    if (task->done == nullptr) continue;
    const std::function<void()> done = std::exchange(task->done, nullptr);
    done();
  }
}

}  // namespace servery
