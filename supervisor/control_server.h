// The control socket: a Unix stream socket, one JSON request and its answers per line. Only root
// and the supervisor's own user get in (SO_PEERCRED). Owned by the supervisor, on its loop,
// independent of every worker: it answers while they are saturated. Clients, lines, answers and
// waiting are bounded.
//
// Request: {"command": "status" | "reload" | "plan" | "stop", ...}. Answers: any number of
// {"progress": "sentence"}, then one {"exit": CODE, "result": {...}} or {"exit": CODE, "error":
// "..."}; after it the client may ask again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "common/loop/loop.h"
#include "common/loop/timer.h"
#include "common/loop/watch.h"
#include "supervisor/unix_listener.h"

namespace servery {

class ControlClient;

// The way back to one waiting client; may be kept and used much later, on the loop's thread. When
// the client has gone every call does nothing. One that dies unanswered answers exit 1 itself.
class ControlReply {
 public:
  explicit ControlReply(std::weak_ptr<ControlClient> client) : client_(std::move(client)) {}
  ControlReply(ControlReply&&) noexcept = default;
  ControlReply& operator=(ControlReply&& other) noexcept;
  ~ControlReply();

  bool is_open() const { return !client_.expired(); }
  void progress(std::string_view sentence);
  void finish(int exit_code, const Json& result);
  void fail(int exit_code, std::string_view error);

 private:
  void abandon();

  std::weak_ptr<ControlClient> client_;
};

class ControlHandler {
 public:
  virtual ~ControlHandler() = default;
  // `request` is an object with a string member `command`.
  virtual void on_request(const Json& request, ControlReply reply) = 0;
};

// A directory that was made for a socket; removed with it, unless somebody else uses it by then.
class MadeDirectory {
 public:
  MadeDirectory() = default;
  explicit MadeDirectory(std::string path) : path_(std::move(path)) {}
  MadeDirectory(MadeDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  MadeDirectory& operator=(MadeDirectory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~MadeDirectory();

 private:
  std::string path_;  // empty: it was there before
};

class ControlServer final : private FdWatcher {
 public:
  struct Options {
    // Its directory must be ours; a missing one is made with mode 0700, and removed at the end.
    std::string path;
    // Where a live server has the path already, control-PID.sock beside it will do.
    bool may_move = false;
    Milliseconds idle_timeout{10'000};  // without a request under way, or without reading an answer
    std::size_t max_clients = 64;
  };
  struct Counts {
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;  // clients turned away: peer, number, malformed line
  };

  // kExists: a live server has the path. kForbidden: the directory belongs to somebody else.
  static Result<std::unique_ptr<ControlServer>> create(Loop& loop, const Options& options,
                                                       ControlHandler& handler);
  ~ControlServer() override;

  // Binds the path anew if it does not lead here any more: somebody removed or replaced it. Clients
  // stay. True: it was lost.
  Result<bool> restore();

  const std::string& path() const { return options_.path; }
  const Counts& counts() const { return counts_; }

 private:
  friend class ControlClient;

  ControlServer(Loop& loop, Options options, ControlHandler& handler);
  Status open();
  void on_ready(int events) override;
  void accept_client(UniqueFd fd);
  void remove(ControlClient& client);
  void close_idle();

  Loop& loop_;
  Options options_;
  ControlHandler& handler_;
  MadeDirectory directory_;  // before listener_: ends after it
  UnixListener listener_;
  FdWatch watch_;
  Timer idle_check_;
  std::vector<std::shared_ptr<ControlClient>> clients_;
  Counts counts_;
};

}  // namespace servery
