// Work on the pool that stands before an answer, slice by slice, so that one request's walk does
// not hold a thread. An ExchangeTask; destroying it ends the work with the slice at hand. Worker
// thread only; the slices on pool threads.
#pragma once

#include <functional>
#include <memory>

#include "common/loop/blocking_pool.h"
#include "worker/http/exchange.h"

namespace servery::body {

class SliceTask final : public http::ExchangeTask {
 public:
  // Runs `slice` until it returns false, then `done` on the loop, which may destroy what it was
  // given. A full pool is answered with `busy`.
  static void run(http::Exchange& exchange, BlockingPool& pool, http::Refusal busy,
                  std::function<bool()> slice, std::function<void()> done);

 private:
  struct Work {
    std::function<bool()> slice;
    bool is_more = true;
  };

  SliceTask(http::Exchange& exchange, BlockingPool& pool, http::Refusal busy,
            std::function<bool()> slice, std::function<void()> done);
  void advance();
  void on_slice();

  http::Exchange& exchange_;
  BlockingPool& pool_;
  http::Refusal busy_;
  std::shared_ptr<Work> work_;  // shared with the job, which may outlive this
  std::function<void()> done_;
  BlockingPool::Job job_;
};

}  // namespace servery::body
