// Single flight: work for one key runs once, and its outcome goes to all who asked meanwhile.
// Nothing is kept behind it. Owned by who asks; worker thread, the work on a pool thread.
//
// Order: join(); then `done` once, in a later turn, or the returned task is destroyed. When the
// last of a flight's tasks is destroyed, work that waits is dropped and work that runs is told by
// its flag.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/loop/blocking_pool.h"
#include "worker/http/exchange.h"

namespace servery::body {

template <typename Outcome>
class Flights {
 public:
  using Work = std::function<void(Outcome& outcome, const std::atomic<bool>& is_cancelled)>;
  using Done = std::function<void(Outcome& outcome)>;

  Flights(BlockingPool& pool, Lane lane) : pool_(pool), lane_(lane) {}
  ~Flights() {
    for (auto& [key, flight] : flights_) {
      for (Waiter* const waiter : flight->waiters) waiter->flight = nullptr;
    }
  }
  Flights(const Flights&) = delete;
  Flights& operator=(const Flights&) = delete;

  // Waits for the work of `key`, starting `work` if nobody did. kBusy: the queue is full.
  Result<std::unique_ptr<http::ExchangeTask>> join(const std::string& key, Work work, Done done) {
    auto found = flights_.find(key);
    if (found == flights_.end()) {
      auto flight = std::make_unique<Flight>();
      flight->key = key;
      flight->job = SERVERY_TRY(start(*flight, std::move(work)));
      found = flights_.emplace(key, std::move(flight)).first;
      ++started_;
    } else {
      ++joined_;
    }
    auto waiter = std::make_unique<Waiter>(*this, *found->second, std::move(done));
    found->second->waiters.push_back(waiter.get());
    return waiter;
  }

  std::size_t size() const { return flights_.size(); }
  std::uint64_t started() const { return started_; }
  std::uint64_t joined() const { return joined_; }

 private:
  struct Waiter;
  struct Shared {  // with the job, which may outlive the flight
    Outcome outcome{};
    std::atomic<bool> is_cancelled = false;
  };
  struct Flight {
    std::string key;
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
    BlockingPool::Job job;
    std::vector<Waiter*> waiters;
  };
  struct Waiter final : http::ExchangeTask {
    Waiter(Flights& all, Flight& joined, Done when_done)
        : flights(all), flight(&joined), done(std::move(when_done)) {}
    ~Waiter() override {
      if (flight != nullptr) flights.leave(*flight, this);
    }
    Flights& flights;
    Flight* flight;  // null once the outcome is there
    Done done;
  };

  Result<BlockingPool::Job> start(Flight& flight, Work work) {
    return pool_.run(
        lane_,
        [shared = flight.shared, work = std::move(work)] {
          work(shared->outcome, shared->is_cancelled);
        },
        [this, &flight] { land(flight); });
  }

  // A waiter's `done` may destroy any other waiter, and start a new flight of the same key.
  void land(Flight& landed) {
    const auto node = flights_.extract(landed.key);
    Flight& flight = *node.mapped();
    while (!flight.waiters.empty()) {
      Waiter& waiter = *flight.waiters.front();
      flight.waiters.erase(flight.waiters.begin());
      waiter.flight = nullptr;
      const Done done = std::move(waiter.done);
      done(flight.shared->outcome);
    }
  }

  void leave(Flight& flight, Waiter* waiter) {
    std::erase(flight.waiters, waiter);
    if (!flight.waiters.empty()) return;
    const auto found = flights_.find(flight.key);
    if (found == flights_.end() || found->second.get() != &flight) return;  // it is landing
    flight.shared->is_cancelled = true;
    flights_.erase(found);
  }

  BlockingPool& pool_;
  Lane lane_;
  std::unordered_map<std::string, std::unique_ptr<Flight>> flights_;
  std::uint64_t started_ = 0;
  std::uint64_t joined_ = 0;
};

}  // namespace servery::body
