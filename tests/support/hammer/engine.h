// The hammer's loop: epoll, one timer a client, arrivals at fixed rates. Owns the clients; single
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "client.h"
#include "mode.h"
#include "options.h"
#include "report.h"

namespace hammer {

class Engine {
 public:
  Engine(const Options& options, Report& report);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // Closed loop of fresh connections; answers a second.
  double measure(std::chrono::milliseconds duration);
  // Every mode of the options, until their seconds are over or request_stop() was called; then
  // waits for what is open.
  void run(double fresh_rate);
  // Safe in a signal handler.
  static void request_stop();
  static void request_stage();

  // Stages are asked for from outside and begin between two turns, with a line on stderr: a failure
  // tells in which one its connection began.
  int stage() const { return stage_; }

  const Options& options() const { return options_; }
  Report& report() { return report_; }
  bool stopping() const { return stopping_; }
  std::chrono::milliseconds timeout() const { return timeout_; }
  const Expectation& next_expectation(Work work);
  std::chrono::microseconds random_part(std::chrono::milliseconds most);
  void watch(int fd, Client& client);
  void arm(Client& client, Time when);
  void retire(Client& client);

 private:
  struct Timer {
    Time when;
    std::uint64_t ticket;
    Client* client;
    bool operator>(const Timer& other) const { return when > other.when; }
  };
  struct Arrivals {
    Mode mode;
    double rate;
    Time start;
    std::uint64_t begun = 0;
  };

  void begin_client(Mode mode, Time scheduled);
  void begin_connections(Mode mode, unsigned count);
  void begin_arrivals(Time now);
  void turn();
  void enter_stage();
  void run_timers();
  void drain();

  const Options& options_;
  Report& report_;
  const std::chrono::milliseconds timeout_;
  int epoll_ = -1;
  bool stopping_ = false;
  int stage_ = 0;
  std::mt19937_64 random_;
  std::size_t file_ = 0;
  std::uint64_t tickets_ = 0;
  std::size_t active_ = 0;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<Client*> free_;
  std::vector<Arrivals> arrivals_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace hammer
