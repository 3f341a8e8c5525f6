#include "worker/body/slice_task.h"

#include <utility>

namespace servery::body {

SliceTask::SliceTask(http::Exchange& exchange, BlockingPool& pool, http::Refusal busy,
                     std::function<bool()> slice, std::function<void()> done)
    : exchange_(exchange),
      pool_(pool),
      busy_(busy),
      work_(std::make_shared<Work>()),
      done_(std::move(done)) {
  work_->slice = std::move(slice);
}

void SliceTask::run(http::Exchange& exchange, BlockingPool& pool, http::Refusal busy,
                    std::function<bool()> slice, std::function<void()> done) {
  std::unique_ptr<SliceTask> task(
      new SliceTask(exchange, pool, busy, std::move(slice), std::move(done)));
  SliceTask& first = *task;
  exchange.set_task(std::move(task));
  first.advance();
}

// The answer may destroy this.
void SliceTask::advance() {
  auto job = pool_.run(
      Lane::kBulk, [work = work_] { work->is_more = work->slice(); }, [this] { on_slice(); });
  if (job) {
    job_ = std::move(*job);
  } else {
    exchange_.respond_error(busy_);
  }
}

void SliceTask::on_slice() {
  if (work_->is_more) {
    advance();
    return;
  }
  const std::function<void()> done = std::move(done_);  // it may destroy this
  done();
}

}  // namespace servery::body
