// Who asked for reloads and what they are told: one reload under way, one pending (the latest wins,
// the one it displaces is told so), everybody answered. Also where the configuration comes from.
// Owned by the Supervisor; supervisor's loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "supervisor/control_server.h"
#include "supervisor/fleet.h"
#include "supervisor/reload.h"

namespace servery {

// Reads configuration inputs; implemented where the loader is linked (main.cc).
class InputsReader {
 public:
  virtual ~InputsReader() = default;
  // Encoded inputs: the file (absolute; empty: quick mode), read now, under the environment and
  // flags of the start.
  virtual tl::expected<std::string, Problem> read(const std::string& config_path) = 0;
};

class ReloadQueue {
 public:
  static constexpr std::size_t kMaxOldGenerations = 2;

  struct Caller {
    std::optional<ControlReply> reply;  // a signal has none
    bool wait_drained = false;
  };

  ReloadQueue(const ReloadParts& parts, ReloadHost& host, const Fleet& fleet, InputsReader& inputs,
              std::string config_path);

  // `file`: absolute, becomes the configuration once committed; empty: the present one.
  void request(std::string file, Caller caller);
  // No further reload; whoever waits is answered.
  void stop();

  // What a reload would read now.
  tl::expected<std::string, Problem> read_inputs(const std::string& file) const;

  Reload* running() const { return reload_.get(); }
  const std::string& config_path() const { return config_path_; }

  // By the host: the running reload has ended so.
  void on_done(const Verdict& verdict);
  void on_generation_gone();

 private:
  struct Request {
    std::string file;
    std::vector<Caller> callers;
  };
  struct DrainWaiter {
    std::vector<std::uint64_t> generations;
    Verdict verdict;
    ControlReply reply;
  };

  void start(Request request);
  void start_pending();
  void answer(Caller& caller, const Verdict& verdict);
  void supersede(Request& request);

  ReloadParts parts_;
  ReloadHost& host_;
  const Fleet& fleet_;
  InputsReader& inputs_;
  std::string config_path_;
  bool stopped_ = false;
  std::unique_ptr<Reload> reload_;
  Request running_;
  std::optional<Request> pending_;
  std::vector<DrainWaiter> waiters_;
};

}  // namespace servery
