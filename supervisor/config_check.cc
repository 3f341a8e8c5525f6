#include "supervisor/config_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace servery {
namespace {

std::string describe_exit(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    return fmt::format("the configuration check was ended by signal {}", WTERMSIG(wait_status));
  }
  if (WEXITSTATUS(wait_status) == kExecFailed) return "the configuration check did not start";
  return fmt::format("the configuration check ended with code {}", WEXITSTATUS(wait_status));
}

}  // namespace

ConfigCheck::ConfigCheck(Loop& loop, Done done)
    : done_(std::move(done)), timeout_(loop, [this] {
        finish(fail(Errc::kTimeout, fmt::format("the configuration check took longer than {} s",
                                                kTimeout.count() / 1000)));
      }) {}

Result<std::unique_ptr<ConfigCheck>> ConfigCheck::start(Loop& loop, const Executable& executable,
                                                        int inputs, int old_inputs, Done done) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return fail_errno("pipe", errno);
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  if (::fcntl(write_end.get(), F_SETFL, 0) != 0) return fail_errno("fcntl", errno);
  SpawnRequest request{{kCheckRole}, {write_end.get(), inputs}};
  if (old_inputs >= 0) {
    request.argv.emplace_back("changes");
    request.fds.push_back(old_inputs);
  }
  std::unique_ptr<ConfigCheck> check(new ConfigCheck(loop, std::move(done)));
  check->pipe_ = std::move(read_end);
  check->watch_ = SERVERY_TRY(FdWatch::create(loop, check->pipe_.get(), *check));
  SERVERY_TRY(check->watch_.set_events(FdWatch::kReadable));
  check->pid_ = SERVERY_TRY(executable.spawn(request));
  check->timeout_.start_once(kTimeout);
  return check;
}

ConfigCheck::~ConfigCheck() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

void ConfigCheck::on_exit(int wait_status) {
  pid_ = -1;
  wait_status_ = wait_status;
  read_answer();
  finish_if_complete();
}

void ConfigCheck::on_ready(int) {
  read_answer();
  finish_if_complete();
}

void ConfigCheck::read_answer() {
  std::array<char, 16 * 1024> buffer;
  while (!end_of_answer_) {
    const ssize_t got = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got > 0 && answer_.size() <= kMaxPlanBytes) {
      answer_.append(buffer.data(), static_cast<std::size_t>(got));
      continue;
    }
    end_of_answer_ = true;
    watch_.reset();
    pipe_.reset();  // a child that still writes is ended by it
  }
}

void ConfigCheck::finish_if_complete() {
  if (!end_of_answer_ || !wait_status_) return;
  if (*wait_status_ != 0) return finish(fail(Errc::kInternal, describe_exit(*wait_status_)));
  finish(parse_plan(answer_));
}

void ConfigCheck::finish(Result<Plan> plan) {
  timeout_.stop();
  watch_.reset();
  const Done done = std::move(done_);
  done(std::move(plan));
}

}  // namespace servery
