#include "common/loop/loop.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/log.h"

namespace servery {

Result<std::unique_ptr<Loop>> Loop::create() {
  std::unique_ptr<Loop> loop(new Loop);
  SERVERY_TRY(loop->init());
  return loop;
}

Status Loop::init() {
  if (const int error = uv_loop_init(&loop_); error < 0) return fail_uv("event loop", error);
  open_ = true;
  loop_.data = this;
  before_wait_ = SERVERY_TRY(
      (Handle<uv_prepare_t, Loop*>::create("event loop", this, [this](uv_prepare_t* handle) {
        return uv_prepare_init(&loop_, handle);
      })));
  uv_prepare_start(before_wait_.get(), [](uv_prepare_t* handle) {
    Loop& self = *Handle<uv_prepare_t, Loop*>::state_of(handle);
    self.end_turn();
    self.begin_turn();
  });
  after_batch_ = SERVERY_TRY((Handle<uv_check_t, Loop*>::create(
      "event loop", this, [this](uv_check_t* handle) { return uv_check_init(&loop_, handle); })));
  uv_check_start(after_batch_.get(), [](uv_check_t* handle) {
    Loop& self = *Handle<uv_check_t, Loop*>::state_of(handle);
    self.end_turn();
    self.begin_turn();
  });
  wake_ = SERVERY_TRY(
      (Handle<uv_async_t, Loop*>::create("event loop", this, [this](uv_async_t* handle) {
        return uv_async_init(&loop_, handle, [](uv_async_t* async) {
          Handle<uv_async_t, Loop*>::state_of(async)->run_posted();
        });
      })));
  return {};
}

Loop::~Loop() {
  destroy_doomed();
  posted_.clear();
  wake_.reset();
  after_batch_.reset();
  before_wait_.reset();
  if (!open_) return;
  // Close callbacks free the blocks; only a handle that outlives its loop can keep it busy.
  for (int pass = 0; uv_loop_close(&loop_) == UV_EBUSY; ++pass) {
    if (pass == 100) {
      log::error("loop_handle_leaked");
      std::abort();
    }
    uv_run(&loop_, UV_RUN_NOWAIT);
  }
}

void Loop::run() { uv_run(&loop_, UV_RUN_DEFAULT); }

void Loop::stop() { uv_stop(&loop_); }

void Loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(task));
  }
  uv_async_send(wake_.get());
}

void Loop::run_posted() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(posted_mutex_);
    tasks.swap(posted_);
  }
  for (const auto& task : tasks) task();
}

void Loop::remove_turn_hook(TurnHook& hook) { std::erase(hooks_, &hook); }

void Loop::begin_turn() {
  next_turn();
  events_in_turn_ = 0;
  turn_began_at_ = 1;
  for (TurnHook* hook : hooks_) hook->on_turn_begin();
}

void Loop::end_turn() {
  for (TurnHook* hook : hooks_) hook->on_turn_end();
  destroy_doomed();
}

void Loop::destroy_doomed() {
  while (!doomed_.empty()) {  // a destructor may doom more
    std::vector<Doomed> batch;
    batch.swap(doomed_);
    for (const Doomed& entry : batch) entry.destroy(entry.object);
    if (doomed_.empty()) {  // keep the capacity: no allocation per turn
      batch.clear();
      doomed_.swap(batch);
    }
  }
}

}  // namespace servery
