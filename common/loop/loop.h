// The event loop of a process: owns the uv_loop_t. Each worker and the supervisor have one, on
// their main thread; only post() may be called from another thread. Everything that waits on the
// loop (FdWatch, Timer, SignalWatch, BlockingPool) must be destroyed before it.
//
// A turn is what may share one look at the world: one epoll batch, or the timers and posted tasks
// before it. turn() changes between any two of them; next_turn() makes a boundary inside a batch.
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/loop/handle.h"

namespace servery {

// Order in each turn: on_turn_begin of all hooks, callbacks, on_turn_end of all hooks (the last
// call before the loop may wait), then the deferred destructions.
class TurnHook {
 public:
  virtual ~TurnHook() = default;
  virtual void on_turn_begin() {}
  virtual void on_turn_end() {}
};

class Loop {
 public:
  static Result<std::unique_ptr<Loop>> create();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop(); may be run again.
  void run();
  // Takes effect at the end of the turn; from the loop's thread.
  void stop();

  // Runs `task` on the loop in a later turn. Any thread. Unbounded: callers bound what they post.
  void post(std::function<void()> task);

  // Destroys `object` at the end of this turn: how an object dies from its own callback.
  template <typename T>
  void destroy_later(std::unique_ptr<T> object) {
    doomed_.push_back({object.release(), [](void* raw) { delete static_cast<T*>(raw); }});
  }

  std::uint64_t turn() const { return turn_; }
  void next_turn() {
    ++turn_;
    turn_began_at_ = events_in_turn_;
  }
  // Whether other events than the present one were handled in this turn.
  bool others_came_before() const { return events_in_turn_ > turn_began_at_; }

  // The steady clock as it was when this batch began, in whole milliseconds.
  SteadyTime now() const { return SteadyTime(Milliseconds(uv_now(&loop_))); }

  // Hooks are called in the order of their adding; neither call may come from inside a hook.
  void add_turn_hook(TurnHook& hook) { hooks_.push_back(&hook); }
  void remove_turn_hook(TurnHook& hook);

  uv_loop_t* raw() { return &loop_; }
  // Called by FdWatch for each event. libuv polls again within one uv_run pass when a batch filled
  // its array of 1,024 events, which no hook can see; so near that size every event is its own
  // turn.
  void count_event() {
    if (++events_in_turn_ > kSafeBatch) next_turn();
  }
  static Loop& of(const uv_loop_t* loop) { return *static_cast<Loop*>(loop->data); }

 private:
  struct Doomed {
    void* object;
    void (*destroy)(void*);
  };
  static constexpr std::uint32_t kSafeBatch = 768;

  Loop() = default;
  Status init();
  void begin_turn();
  void end_turn();
  void destroy_doomed();
  void run_posted();

  uv_loop_t loop_{};
  bool open_ = false;
  std::uint64_t turn_ = 1;
  std::uint32_t events_in_turn_ = 0;
  std::uint32_t turn_began_at_ = 1;  // the event it began with
  std::vector<TurnHook*> hooks_;
  std::vector<Doomed> doomed_;
  Handle<uv_prepare_t, Loop*> before_wait_;
  Handle<uv_check_t, Loop*> after_batch_;
  Handle<uv_async_t, Loop*> wake_;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by posted_mutex_
};

}  // namespace servery
