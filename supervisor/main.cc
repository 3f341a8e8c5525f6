// Role dispatch only: command | supervise | check child | worker. The only file that links both
// sides.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/base/exit_code.h"
#include "common/base/privileges.h"
#include "common/base/stderr_text.h"
#include "config/check.h"
#include "config/cli.h"
#include "config/passwd_command.h"
#include "config/report.h"
#include "ipc/memfd.h"
#include "supervisor/config_check.h"
#include "supervisor/control_client.h"
#include "supervisor/spawn.h"
#include "supervisor/supervisor.h"
#include "worker/run.h"

namespace servery {
namespace {

class CommandInputs final : public InputsReader {
 public:
  explicit CommandInputs(Inputs start) : start_(std::move(start)) {}

  tl::expected<std::string, Problem> read(const std::string& config_path) override {
    Inputs inputs = start_;
    inputs.file_path = config_path;
    if (auto problem = read_config_file(inputs)) {
      return tl::unexpected<Problem>(std::move(*problem));
    }
    return inputs.encode();
  }

 private:
  const Inputs start_;
};

int run_serve(Command command) {
  for (const MadePassword& made : command.made_passwords) {
    write_stderr(fmt::format("servery: user {}, password {}\n", made.user, made.password));
  }
  std::string config_path = command.inputs.file_path;
  CommandInputs inputs(std::move(command.inputs));
  return run_supervisor({std::move(config_path), inputs});
}

int run_control(const Command& command, ControlCommand kind) {
  ControlRequest request;
  request.command = kind;
  request.json = command.json;
  request.socket = command.control_socket;
  request.socket_given = command.control_given;
  request.config_path = command.file;
  request.wait_drained = command.wait_drained;
  request.timeout = command.timeout;
  return run_control_command(request);
}

int run_command(Command command) {
  switch (command.kind) {
    case CommandKind::kServe:
      return run_serve(std::move(command));
    case CommandKind::kCheck:
      return run_check_command(command);
    case CommandKind::kConfig:
      return run_config_command(command);
    case CommandKind::kPlan:
      return run_control(command, ControlCommand::kPlan);
    case CommandKind::kReload:
      return run_control(command, ControlCommand::kReload);
    case CommandKind::kStatus:
      return run_control(command, ControlCommand::kStatus);
    case CommandKind::kStop:
      return run_control(command, ControlCommand::kStop);
    case CommandKind::kPasswd:
      return run_passwd_command(command);
    case CommandKind::kVersion:
      print_version();
      return kExitDone;
    case CommandKind::kHelp:
      std::fputs(command.text.c_str(), stdout);
      return kExitDone;
  }
  return kExitInputWrong;
}

Result<Inputs> read_inputs(int fd) {
  const std::string text = SERVERY_TRY(ipc::read_sealed_text(fd, kMaxInputsBytes));
  return Inputs::decode(text);
}

Status write_answer(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(kCheckAnswerFd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_errno("write the plan", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status answer_check(bool with_old) {
  SERVERY_TRY(limit_to_reading());
  const Inputs inputs = SERVERY_TRY(read_inputs(kCheckInputsFd));
  Inputs old;
  if (with_old) old = SERVERY_TRY(read_inputs(kCheckOldInputsFd));
  return write_answer(dump_json(to_json(check_inputs(inputs, with_old ? &old : nullptr))));
}

int run_check_child(bool with_old) {
  const Status answered = answer_check(with_old);
  if (!answered) write_stderr(fmt::format("servery: check: {}\n", answered.error().text));
  return answered ? kExitDone : kExitFailed;
}

// A descriptor 0, 1 or 2 that is closed would be given to the next socket, and that to the log.
void open_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
}

// For every role: what a parent may have left ignored, and what must never end or stop us.
void set_signals() {
  ::signal(SIGCHLD, SIG_DFL);  // ignored, the kernel would reap our children unseen
  ::signal(SIGTTOU, SIG_IGN);  // a log line to a terminal with `stty tostop` stops nobody
  ::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is a failed write (EFBIG)
}

int run(int argc, char** argv) {
  const std::string_view role = argc > 0 ? argv[0] : "";
  if (role == kWorkerRole) return run_worker(kFirstChildFd);
  if (role == kCheckRole) return run_check_child(argc > 1);
  auto command = parse_command_line(argc, argv, environ);
  if (!command) {
    write_stderr(fmt::format("servery: {}\n", command.error().text));
    return kExitInputWrong;
  }
  return run_command(std::move(*command));
}

}  // namespace
}  // namespace servery

int main(int argc, char** argv) {
  servery::open_standard_descriptors();
  servery::set_signals();
  const int code = servery::run(argc, argv);
  // What could not be written was not done: `servery config > copy` on a full disk.
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
             ? code
             : std::max<int>(code, servery::kExitFailed);
}
