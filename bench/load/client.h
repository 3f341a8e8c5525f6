// The load: one thread, one epoll, N connections, closed or open loop. Owns everything of a run;
// every answer is checked in order. Created and run once by main.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bench/load/connection.h"
#include "bench/load/options.h"
#include "bench/load/results.h"
#include "bench/load/target.h"
#include "common/base/result.h"
#include "common/base/unique_fd.h"

namespace servery::bench {

class Client final : public AnswerSink {
 public:
  static Result<Client> create(const Options& options, TargetList targets);

  // Warm-up, window, then the answers still under way.
  const Results& run();
  // One answer on each connection. They stay open and idle.
  bool hold();
  // One more answer on each held connection.
  const Results& ask_held();

  void on_answer(const Pending& pending, const AnswerReader& reader) override;

 private:
  // Connections that have no answer yet, so that no accept queue overflows.
  static constexpr std::size_t kMaxOpening = 256;
  // A run with so many errors says nothing more.
  static constexpr std::uint64_t kEnoughErrors = 1000;
  static constexpr std::uint64_t kLastAnswersNs = 5'000'000'000;

  Client(const Options& options, TargetList targets, UniqueFd epoll);

  void turn_until(std::uint64_t end_ns);
  bool finished() const;
  void open_more();
  void open(Connection& connection);
  void ask_next(Connection& connection);
  void ask(Connection& connection, std::uint64_t start_ns);
  void send(Connection& connection);
  void on_event(Connection& connection, std::uint32_t events);
  void on_readable(Connection& connection);
  void on_idle(Connection& connection);
  void on_end(Connection& connection, bool clean);
  void send_due();
  std::uint64_t next_wake(std::uint64_t end_ns) const;
  void start_window();
  void end_window();
  void finish_answers();
  bool may_ask() const;
  Target& next_target();

  Options options_;
  TargetList targets_;
  UniqueFd epoll_;
  std::vector<Connection> connections_;
  std::vector<char> buffer_;
  std::vector<Connection*> idle_;  // open loop, hold
  Results results_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> gap_ns_;
  std::size_t next_target_ = 0;
  std::size_t opened_ = 0;   // connections begun
  std::size_t opening_ = 0;  // of these, without an answer yet
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  std::uint64_t lost_ = 0;    // asked, but the connection ended
  std::size_t dead_ = 0;      // connections that could not be opened
  std::uint64_t due_ns_ = 0;  // of the next request of the open loop
  std::uint64_t now_ns_ = 0;
  std::uint64_t window_start_ns_ = 0;
  bool stopping_ = false;
};

}  // namespace servery::bench
