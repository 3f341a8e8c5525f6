// Coarse deadlines of all connections: one intrusive FIFO list per kind (each kind has one
// duration, so a list is in order of expiry) and one timer for the worker. Arming costs a few
// stores; resolution is kTick. Owned by the worker; worker thread only.
#pragma once

#include <array>

#include "common/base/clock.h"
#include "common/loop/timer.h"
#include "worker/transport/protocol.h"

namespace servery::transport {

// What has a deadline. Disarms itself when destroyed.
class DeadlineClient {
 public:
  DeadlineClient() = default;
  DeadlineClient(const DeadlineClient&) = delete;
  DeadlineClient& operator=(const DeadlineClient&) = delete;
  virtual void on_deadline(Waiting what) = 0;
  Waiting waiting() const { return waiting_; }

 protected:
  ~DeadlineClient() { unlink(); }

 private:
  friend class Deadlines;
  bool is_linked() const { return next_ != nullptr; }
  void unlink();
  void link_before(DeadlineClient& place);

  DeadlineClient* previous_ = nullptr;
  DeadlineClient* next_ = nullptr;
  SteadyTime due_{};
  Waiting waiting_ = Waiting::kHandler;
};

class Deadlines {
 public:
  static constexpr Milliseconds kTick{100};
  // By kind; 0: none.
  using Durations = std::array<Milliseconds, kWaitingCount>;

  Deadlines(Loop& loop, const Durations& durations);
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  // From now on the client waits for `what`. `restart` begins the time anew although it waited for
  // the same already. kFirstByte to kHead goes on with the time that runs.
  void arm(DeadlineClient& client, Waiting what, bool restart);
  void disarm(DeadlineClient& client) { client.unlink(); }

 private:
  class Anchor final : public DeadlineClient {
   public:
    void on_deadline(Waiting) override {}
  };
  static constexpr int kMaxPerTick = 1000;

  Anchor& list(Waiting what) { return lists_[static_cast<std::size_t>(what)]; }
  void on_tick();
  void schedule(SteadyTime due);

  Loop& loop_;
  Durations durations_;
  std::array<Anchor, kWaitingCount> lists_;
  SteadyTime scheduled_ = SteadyTime::max();
  Timer timer_;
};

}  // namespace servery::transport
