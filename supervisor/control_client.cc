#include "supervisor/control_client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/base/exit_code.h"
#include "common/base/unique_fd.h"
#include "supervisor/control_format.h"
#include "supervisor/unix_listener.h"
#include "supervisor/verdict.h"

namespace servery {
namespace {

constexpr std::size_t kMaxAnswer = 16 * 1024 * 1024;
constexpr std::size_t kMaxSocketsListed = 64;

std::string_view command_name(ControlCommand command) {
  switch (command) {
    case ControlCommand::kReload:
      return "reload";
    case ControlCommand::kStatus:
      return "status";
    case ControlCommand::kStop:
      return "stop";
    case ControlCommand::kPlan:
      return "plan";
  }
  return "status";
}

void print(std::FILE* stream, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

// Failures before the server has said anything. In JSON they have the shape of its answers.
int report_failure(const ControlRequest& request, int exit_code, std::string_view reason,
                   const std::string& message) {
  if (request.json) {
    const Json problem = to_json(problem_of(reason, message));
    print(stdout, dump_json({{"verdict", "failed"}, {"problems", Json::array({problem})}}) + "\n");
  } else {
    print(stderr, fmt::format("servery {}: {}\n", command_name(request.command), message));
  }
  return exit_code;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

struct Failure {
  int exit_code;
  std::string_view reason;
  std::string message;
};

Failure silent(const std::string& path, Milliseconds patience) {
  return {kExitFailed, "no_answer",
          fmt::format("the server at {} does not answer within {} ms", path, patience.count())};
}

void limit_waiting(int fd, Milliseconds patience) {
  const timeval time{patience.count() / 1000, patience.count() % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);  // connect too
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

tl::expected<std::string, Failure> choose_socket(const ControlRequest& request) {
  if (request.socket_given) return request.socket;
  const std::string directory = directory_of(request.socket);
  const std::vector<std::string> live = live_control_sockets(directory);
  if (live.size() == 1) return live.front();
  if (live.empty()) return request.socket;  // connecting says why not
  std::string message = "several servers are running; choose one with --control:";
  for (const std::string& path : live) message += "\n  " + path;
  return tl::unexpected(Failure{kExitInputWrong, "several_servers", message});
}

tl::expected<UniqueFd, Failure> connect_to(const std::string& path, Milliseconds patience) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return tl::unexpected(Failure{kExitInputWrong, "control_path", path + ": path too long"});
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (fd) limit_waiting(fd.get(), patience);
  if (fd && connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return fd;
  }
  const int error = errno;
  if (error == EAGAIN)
    return tl::unexpected(silent(path, patience));  // its backlog is full of such as us
  if (error == EACCES || error == EPERM) {
    return tl::unexpected(
        Failure{kExitFailed, "not_permitted", path + ": not permitted on the control socket"});
  }
  return tl::unexpected(Failure{kExitNoServer, "no_server", fmt::format("no server at {}", path)});
}

bool send_line(int fd, const Json& message) {
  const std::string line = dump_json(message) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t size = send(fd, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;  // a server that refuses has answered already
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

// Lines of the server until the connection ends, or until it has been silent for the patience of
// `fd`.
class AnswerLines {
 public:
  explicit AnswerLines(int fd) : fd_(fd) {}

  bool timed_out() const { return timed_out_; }

  std::optional<std::string> next() {
    timed_out_ = false;
    while (true) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return line;
      }
      searched_ = buffer_.size();
      std::array<char, 64 * 1024> chunk;
      const ssize_t size = recv(fd_, chunk.data(), chunk.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      timed_out_ = size < 0 && errno == EAGAIN;
      if (size <= 0 || buffer_.size() > kMaxAnswer) return std::nullopt;
      buffer_.append(chunk.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  int fd_;
  std::string buffer_;
  std::size_t searched_ = 0;
  bool timed_out_ = false;
};

bool is_alive(const std::string& path, Milliseconds patience) {
  const auto connection = connect_to(path, patience);
  if (!connection) return false;
  ControlRequest status;
  status.command = ControlCommand::kStatus;
  send_line(connection->get(), control_message(status));
  return AnswerLines(connection->get()).next().has_value();
}

// The next line, however long the server needs for it while it answers others: a reload waits for
// workers, a stop for connections. Nothing: it has gone, or does not answer.
std::optional<std::string> await_line(AnswerLines& lines, const std::string& path,
                                      const ControlRequest& request) {
  while (true) {
    if (auto line = lines.next()) return line;
    const bool may_wait = lines.timed_out() && request.command != ControlCommand::kStatus;
    if (!may_wait || !is_alive(path, request.patience)) return std::nullopt;
  }
}

std::string for_people(ControlCommand command, const Json& result) {
  const bool colour = isatty(STDOUT_FILENO) != 0;
  switch (command) {
    case ControlCommand::kStatus:
      return format_status(result, colour);
    case ControlCommand::kPlan:
      return format_plan(result, colour);
    case ControlCommand::kReload:
    case ControlCommand::kStop:
      return format_verdict(command_name(command), result, colour);
  }
  return {};
}

int print_answer(const ControlRequest& request, const Json& answer) {
  const int exit_code = answer["exit"].get<int>();
  const auto result = answer.find("result");
  if (result == answer.end()) {
    const auto error = answer.find("error");
    return report_failure(request, exit_code, "refused",
                          error != answer.end() && error->is_string() ? error->get<std::string>()
                                                                      : "the server refused");
  }
  print(stdout, request.json ? dump_json(*result) + "\n" : for_people(request.command, *result));
  return exit_code;
}

}  // namespace

Json control_message(const ControlRequest& request) {
  Json message{{"command", command_name(request.command)}};
  if (!request.config_path.empty()) message["config"] = request.config_path;
  if (request.wait_drained) message["wait_drained"] = true;
  if (request.timeout) {
    message["timeout_ms"] =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, request.timeout->count()));
  }
  return message;
}

std::vector<std::string> live_control_sockets(const std::string& directory) {
  std::vector<std::string> live;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  while (!error && entry != std::filesystem::directory_iterator() &&
         live.size() < kMaxSocketsListed) {
    const std::string path = entry->path().string();
    if (path.ends_with(".sock")) {
      const auto state = probe_unix_socket(path);
      if (state && *state == UnixSocketState::kLive) live.push_back(path);
    }
    entry.increment(error);
  }
  std::sort(live.begin(), live.end());
  return live;
}

int run_control_command(const ControlRequest& request) {
  const auto failed = [&request](const Failure& failure) {
    return report_failure(request, failure.exit_code, failure.reason, failure.message);
  };
  const auto path = choose_socket(request);
  if (!path) return failed(path.error());
  const auto connection = connect_to(*path, request.patience);
  if (!connection) return failed(connection.error());
  send_line(connection->get(), control_message(request));
  AnswerLines lines(connection->get());
  while (const auto line = await_line(lines, *path, request)) {
    const auto answer = parse_json(*line, kMaxAnswer);
    if (!answer || !answer->is_object()) break;
    if (const auto progress = answer->find("progress"); progress != answer->end()) {
      if (progress->is_string()) print(stderr, progress->get<std::string>() + "\n");
      continue;
    }
    const auto exit_code = answer->find("exit");
    if (exit_code == answer->end() || !exit_code->is_number_integer()) break;
    // A stopped server ends its connections with its life: only then is it gone.
    if (request.command == ControlCommand::kStop) await_line(lines, *path, request);
    return print_answer(request, *answer);
  }
  if (lines.timed_out()) return failed(silent(*path, request.patience));
  return report_failure(request, kExitFailed, "no_answer", "the server went away unanswered");
}

}  // namespace servery
