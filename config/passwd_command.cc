#include "config/passwd_command.h"

#include <fmt/format.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>

#include "common/base/exit_code.h"
#include "common/base/stderr_text.h"
#include "common/credentials/password_file.h"

namespace servery {
namespace {

constexpr std::size_t kMaxLine = 4096;
constexpr char kInterrupt = 3;  // ^C, which is no signal while a password is typed

// Wiped when it goes.
struct Secret {
  Secret() { text.reserve(kMaxLine); }  // never moved: a copy would not be wiped
  ~Secret() { ::explicit_bzero(text.data(), text.size()); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  std::string text;
};

// Neither echo nor signals while it lives: an interrupted prompt must not leave a blind terminal.
class QuietTerminal {
 public:
  QuietTerminal() {
    is_terminal_ = ::tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!is_terminal_) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    quiet.c_cc[VEOL] = kInterrupt;  // read at once, not with the line
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  ~QuietTerminal() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

 private:
  termios before_{};
  bool is_terminal_ = false;
};

// One line of stdin without its end; byte by byte, since what is behind it is not ours.
bool read_line(std::string& line) {
  char c = 0;
  while (line.size() < kMaxLine) {
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || c == '\n') break;
    if (c == kInterrupt) return false;
    line += c;
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

bool prompt(const std::string& question, std::string& line) {
  const QuietTerminal quiet;  // before it asks: it drops what was typed before
  write_stderr(question);
  const bool is_read = read_line(line);
  write_stderr("\n");
  return is_read;
}

int refuse(std::string_view why) {
  write_stderr(fmt::format("servery: passwd: {}\n", why));
  return kExitInputWrong;
}

// What is wrong with what was typed.
std::optional<std::string> ask(const std::string& user, Secret& password) {
  if (::isatty(STDIN_FILENO) == 0) {
    read_line(password.text);
    return std::nullopt;
  }
  Secret again;
  if (!prompt(fmt::format("New password of {}: ", user), password.text) ||
      !prompt("Again: ", again.text)) {
    return "interrupted; nothing was changed";
  }
  if (password.text != again.text) return "the two are not the same; nothing was changed";
  return std::nullopt;
}

int finish(const Status& done, const std::string& message) {
  if (done) {
    fmt::print("{}; `servery reload` makes a running server know\n", message);
    return kExitDone;
  }
  write_stderr(fmt::format("servery: passwd: {}\n", done.error().text));
  return done.error().code == Errc::kNotFound ? kExitInputWrong : kExitFailed;
}

}  // namespace

int run_passwd_command(const Command& command) {
  const PasswdRequest& request = command.passwd;
  if (request.remove) {
    return finish(remove_user(request.file, request.user),
                  fmt::format("{}: {} is removed", request.file, request.user));
  }
  Secret password;
  if (const auto wrong = ask(request.user, password)) return refuse(*wrong);
  const auto hash = hash_password(request.kind, password.text);
  if (!hash) return refuse(hash.error().text);
  return finish(set_user(request.file, request.user, *hash),
                fmt::format("{}: the password of {} is set", request.file, request.user));
}

}  // namespace servery
