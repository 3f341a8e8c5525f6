// One client of the control socket: bytes in, one request at a time to the handler, answer lines
// out. Owned by ControlServer; replies hold it weakly. Supervisor's loop.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/unique_fd.h"
#include "common/loop/watch.h"
#include "supervisor/control_server.h"

namespace servery {

inline constexpr std::size_t kMaxControlRequest = 64 * 1024;
inline constexpr std::size_t kMaxControlAnswer = 16 * 1024 * 1024;

class ControlClient final : public std::enable_shared_from_this<ControlClient>, private FdWatcher {
 public:
  ControlClient(ControlServer& server, UniqueFd fd) : server_(server), fd_(std::move(fd)) {}
  Status start(Loop& loop);

  // Says why and closes when that is sent.
  void refuse(int exit_code, std::string_view error);
  void progress(std::string_view sentence);
  // The answer to the request under way.
  void finish(const Json& answer);
  // Waiting for neither the handler nor, for too long, the client itself.
  bool is_idle_since(SteadyTime limit) const;

 private:
  void on_ready(int events) override;
  bool read_input();  // false: nothing more will come
  void handle_lines();
  void handle_line(std::string_view line);
  void queue_line(const Json& line);
  void flush();
  void update_events();
  void close();

  ControlServer& server_;
  UniqueFd fd_;
  FdWatch watch_;
  std::string input_;
  std::string output_;
  SteadyTime active_{};
  bool busy_ = false;         // the handler has a request of ours
  bool input_ended_ = false;  // end of file, or nothing more wanted
  bool closed_ = false;
};

}  // namespace servery
