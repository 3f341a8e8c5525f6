#include "supervisor/control_connection.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "common/base/exit_code.h"

namespace servery {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;

Json error_answer(int exit_code, std::string_view error) {
  return {{"exit", exit_code}, {"error", error}};
}

}  // namespace

Status ControlClient::start(Loop& loop) {
  watch_ = SERVERY_TRY(FdWatch::create(loop, fd_.get(), *this));
  active_ = server_.loop_.now();
  return watch_.set_events(FdWatch::kReadable);
}

void ControlClient::refuse(int exit_code, std::string_view error) {
  ++server_.counts_.refused;
  input_ended_ = true;
  input_.clear();
  queue_line(error_answer(exit_code, error));
}

void ControlClient::progress(std::string_view sentence) { queue_line({{"progress", sentence}}); }

void ControlClient::finish(const Json& answer) {
  busy_ = false;
  queue_line(answer);
  if (closed_ || input_.empty()) return;
  // Not from inside the handler that is answering.
  server_.loop_.post([weak = weak_from_this()] {
    if (const auto client = weak.lock()) client->handle_lines();
  });
}

bool ControlClient::is_idle_since(SteadyTime limit) const {
  return (!busy_ || !output_.empty()) && active_ <= limit;
}

void ControlClient::on_ready(int events) {
  const auto self = shared_from_this();
  if ((events & FdWatch::kFailed) != 0) return close();
  if ((events & FdWatch::kWritable) != 0) flush();
  if ((events & FdWatch::kReadable) != 0 && !closed_ && !input_ended_) {
    if (!read_input()) input_ended_ = true;
    handle_lines();
  }
  update_events();
}

bool ControlClient::read_input() {
  std::array<char, kReadBytes> buffer;
  const ssize_t size = recv(fd_.get(), buffer.data(), buffer.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  active_ = server_.loop_.now();
  input_.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

void ControlClient::handle_lines() {
  const auto self = shared_from_this();
  while (!busy_ && !closed_) {
    const std::size_t end = input_.find('\n');
    if (end == std::string::npos) break;
    const std::string line = input_.substr(0, end);
    input_.erase(0, end + 1);
    handle_line(line);
  }
  if (input_.size() > kMaxControlRequest) refuse(kExitInputWrong, "request too long");
  if (input_ended_ && !busy_ && !input_.empty()) {
    refuse(kExitInputWrong, "a request ends with a line feed");
  }
  update_events();
}

void ControlClient::handle_line(std::string_view line) {
  const auto request = parse_json(line, kMaxControlRequest);
  if (!request || !request->is_object() || !request->contains("command") ||
      !(*request)["command"].is_string()) {
    return refuse(kExitInputWrong, "a request is one JSON object with a command");
  }
  ++server_.counts_.requests;
  busy_ = true;
  server_.handler_.on_request(*request, ControlReply(weak_from_this()));
}

void ControlClient::queue_line(const Json& line) {
  if (closed_) return;
  if (output_.empty()) active_ = server_.loop_.now();
  output_ += dump_json(line);
  output_ += '\n';
  if (output_.size() > kMaxControlAnswer) return close();
  flush();
  update_events();
}

void ControlClient::flush() {
  while (!closed_ && !output_.empty()) {
    const ssize_t size = send(fd_.get(), output_.data(), output_.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0) return close();
    output_.erase(0, static_cast<std::size_t>(size));
    active_ = server_.loop_.now();
  }
}

void ControlClient::update_events() {
  if (closed_) return;
  if (input_ended_ && !busy_ && output_.empty()) return close();
  const bool may_read = !input_ended_ && input_.size() <= kMaxControlRequest;
  const int events =
      (may_read ? FdWatch::kReadable : 0) | (output_.empty() ? 0 : FdWatch::kWritable);
  if (!watch_.set_events(events)) close();
}

void ControlClient::close() {
  if (std::exchange(closed_, true)) return;
  watch_.reset();
  server_.remove(*this);
}

}  // namespace servery
