// One connection of the hammer and what happens on it: connect, pause, exchange, again or gone.
// Owned by the engine, single thread. The rule it judges by: once the first byte of a request was
// sent on a connection that the peer had not closed, the complete and correct answer must come. A
// FIN before that byte is a stale close, counted apart. Nothing is sent twice.
//
//   kConnecting -> kPausing <-> kBusy          (mode that reuses its connection)
//        ^____________|___________|            (closed: a new connection, or kGone)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mode.h"
#include "options.h"
#include "report.h"
#include "response_reader.h"

namespace hammer {

class Engine;

class Client {
 public:
  explicit Client(Engine& engine) : engine_(engine) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  void start(Mode mode, Time scheduled);
  void on_io(std::uint32_t events);
  void on_timer();
  // No further request; an open one is waited for.
  void stop();
  bool gone() const { return state_ == State::kGone; }

  std::uint64_t timer_ticket = 0;  // the engine's: which of its timers is this client's

 private:
  enum class State { kGone, kConnecting, kPausing, kBusy };

  void connect();
  void pause(std::chrono::milliseconds most);
  void begin();
  void compose();
  void flush();
  void receive();
  bool consume(std::string_view bytes);
  void answered();
  void finish_exchange();
  bool peer_still_there();
  void step_slow_transfer();
  void fail(const std::string& reason);
  void fail_connect(const std::string& reason);
  void leave();
  ModeCounts& counts();

  Engine& engine_;
  Mode mode_ = Mode::kFresh;
  State state_ = State::kGone;
  int fd_ = -1;
  int local_port_ = 0;
  int stage_ = 0;  // of the engine, when the connection began
  Time scheduled_;
  Time begun_;
  Time deadline_;
  std::string output_;
  std::size_t sent_ = 0;
  std::size_t send_limit_ = 0;                // slow uploads: how much may be sent so far
  std::uint64_t read_budget_ = 0;             // slow downloads: how much may be read now
  std::uint64_t bytes_read_ = 0;              // since the request began
  std::vector<const Expectation*> expected_;  // answers still to come, in order
  std::size_t next_ = 0;
  bool close_announced_ = false;
  ResponseReader reader_;
};

}  // namespace hammer
