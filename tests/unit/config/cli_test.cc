#include "config/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "config/load.h"
#include "inputs_of.h"

namespace servery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Result<Command> parse(std::vector<const char*> arguments, std::vector<const char*> variables = {}) {
  arguments.insert(arguments.begin(), "servery");
  const int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  return parse_command_line(count, arguments.data(), variables.data());
}

Command good(std::vector<const char*> arguments, std::vector<const char*> variables = {}) {
  Result<Command> command = parse(std::move(arguments), std::move(variables));
  EXPECT_TRUE(command) << (command ? "" : command.error().text);
  return command.value_or(Command{});
}

std::string error_of(std::vector<const char*> arguments) {
  const Result<Command> command = parse(std::move(arguments));
  EXPECT_FALSE(command);
  return command ? std::string() : command.error().text;
}

Settings settings_of(const Command& command) {
  const Loaded loaded = load(command.inputs);
  EXPECT_THAT(brief(loaded.problems), IsEmpty());
  return loaded.settings;
}

std::string here(std::string_view path) {
  return std::filesystem::current_path().string() + "/" + std::string(path);
}

TEST(Cli, ServesADirectory) {
  const Command command = good({"serve", "public"});
  EXPECT_EQ(command.kind, CommandKind::kServe);
  EXPECT_TRUE(command.inputs.quick());
  EXPECT_EQ(std::get<StaticSettings>(settings_of(command).routes.at(0).handler).root,
            here("public"));
}

TEST(Cli, ADirectoryMayBeNamedLikeAnything) {
  for (const char* name : {"status", "serve", "true", "12", "a: b", "[x", "#"}) {
    const Command command = good({"serve", name});
    EXPECT_EQ(std::get<StaticSettings>(settings_of(command).routes.at(0).handler).root, here(name));
  }
}

TEST(Cli, TakesAFile) {
  const Command command = good({"check", "-c", "site.yaml", "--json"});
  EXPECT_EQ(command.kind, CommandKind::kCheck);
  EXPECT_EQ(command.inputs.file_path, here("site.yaml"));
  EXPECT_TRUE(command.json);
}

TEST(Cli, FlagsAreKeys) {
  const Settings settings =
      settings_of(good({"serve",   "--workers", "3",       "--profile=local", "--control",
                        "c.sock",  "--listen",  "8000",    "--listen",        ":80",
                        "--root",  "/srv",      "--index", "a.html",          "--index",
                        "b.html",  "--hidden",  "list",    "--symlinks",      "none",
                        "--host",  "Box.lan",   "--set",   "pool.queue=7",    "--set",
                        "hosts=[]"}));
  EXPECT_EQ(settings.runtime.workers, 3u);
  EXPECT_EQ(settings.runtime.control_socket, here("c.sock"));
  ASSERT_EQ(settings.listeners.size(), 2u);
  EXPECT_EQ(settings.listeners[0].address, "127.0.0.1:8000");
  EXPECT_EQ(settings.listeners[1].address, ":80");
  const auto& files = std::get<StaticSettings>(settings.routes.at(0).handler);
  EXPECT_EQ(files.root, "/srv");
  EXPECT_THAT(files.index, ElementsAre("a.html", "b.html"));
  EXPECT_EQ(files.hidden, Hidden::kList);
  EXPECT_EQ(files.symlinks, Symlinks::kNone);
  EXPECT_THAT(settings.local_hosts, ElementsAre("box.lan"));
  EXPECT_EQ(settings.pool.queue, 7u);
}

TEST(Cli, ADirectoryMayFollowAFlagThatTakesAValue) {
  const Command command = good({"serve", "--listen", ":80", "--set", "pool.queue=7", "www"});
  EXPECT_EQ(settings_of(command).listeners.size(), 1u);
  EXPECT_EQ(std::get<StaticSettings>(settings_of(command).routes.at(0).handler).root, here("www"));
}

// A reload may bring a file into a server that was started without one; it has its own routes.
TEST(Cli, TheQuickRouteIsNotThatOfAFile) {
  Inputs inputs = good({"serve", "www", "--hidden", "allow", "--workers", "3"}).inputs;
  inputs.file_path = "/etc/servery/site.yaml";
  inputs.file_text = "schema: 1\nroutes: [{path: /, respond: {}}]\n";
  const Loaded loaded = load(inputs);
  EXPECT_THAT(brief(loaded.problems), IsEmpty());
  EXPECT_EQ(loaded.settings.runtime.workers, 3u);
}

TEST(Cli, SetMayHoldAnEqualsSign) {
  const Command command = good({"serve", "--set", "canonical_host=a=b"});
  EXPECT_EQ(command.inputs.flags.at(0), (Overlay{"--set", "canonical_host", "a=b"}));
}

TEST(Cli, TheEnvironmentIsAnOverlayInAFixedOrder) {
  const Command command =
      good({"serve"}, {"SERVERY__ROUTES__0__PATH=/x", "HOME=/root", "SERVERY__POOL__QUEUE=4",
                       "SERVERY_OTHER=1", "container=podman"});
  EXPECT_THAT(command.inputs.environment,
              ElementsAre(Overlay{"SERVERY__POOL__QUEUE", "pool.queue", "4"},
                          Overlay{"SERVERY__ROUTES__0__PATH", "routes[0].path", "/x"}));
  EXPECT_TRUE(command.inputs.container);
  EXPECT_FALSE(good({"serve"}).inputs.container);
}

TEST(Cli, ControlCommands) {
  const Command reload = good({"reload", "-c", "x.yaml", "--wait-drained", "--control", "/c.sock"});
  EXPECT_EQ(reload.kind, CommandKind::kReload);
  EXPECT_EQ(reload.file, here("x.yaml"));
  EXPECT_TRUE(reload.wait_drained);
  EXPECT_EQ(reload.control_socket, "/c.sock");
  EXPECT_TRUE(reload.control_given);

  EXPECT_EQ(good({"plan"}).file, "");
  EXPECT_EQ(good({"status", "--json"}).kind, CommandKind::kStatus);
  EXPECT_EQ(good({"stop", "--timeout", "500ms"}).timeout, Duration(500));
  EXPECT_FALSE(good({"stop"}).timeout);
  EXPECT_EQ(good({"version"}).kind, CommandKind::kVersion);
}

TEST(Cli, FindsTheControlSocket) {
  const Command from_variable = good({"status"}, {"SERVERY__RUNTIME__CONTROL_SOCKET=/v.sock"});
  EXPECT_EQ(from_variable.control_socket, "/v.sock");
  EXPECT_TRUE(from_variable.control_given);
  const Command from_default = good({"status"}, {"XDG_RUNTIME_DIR=/run/user/7"});
  EXPECT_FALSE(from_default.control_given);
  EXPECT_EQ(from_default.control_socket,
            ::geteuid() == 0 ? "/run/servery/control.sock" : "/run/user/7/servery/control.sock");
}

TEST(Cli, UsageErrorsNamePlaceAndNearestName) {
  EXPECT_EQ(error_of({"srve"}), "unknown command `srve` (did you mean serve?)");
  EXPECT_EQ(error_of({"frobnicate"}), "unknown command `frobnicate`; see --help");
  EXPECT_EQ(error_of({}), "a command is expected; see --help");
  EXPECT_EQ(error_of({"serve", "--lisen", ":80"}),
            "serve: unknown flag --lisen (did you mean --listen?)");
  EXPECT_EQ(error_of({"serve", "a", "b"}), "serve: unexpected argument `b`");
  EXPECT_EQ(error_of({"status", "--watch"}), "status: unknown flag --watch");
  EXPECT_EQ(error_of({"version", "--json"}), "version: unknown flag --json");
  EXPECT_THAT(error_of({"serve", "-c"}), HasSubstr("-c"));
  EXPECT_THAT(error_of({"serve", "-c", ""}), HasSubstr("-c: a path is expected"));
  EXPECT_THAT(error_of({"status", "--control", ""}), HasSubstr("--control: a path is expected"));
  EXPECT_THAT(error_of({"serve", "--workers", "1", "--workers", "2"}), HasSubstr("--workers"));
  EXPECT_THAT(error_of({"serve", "--set", "x"}), HasSubstr("--set x: KEY=VALUE"));
  EXPECT_THAT(error_of({"stop", "--timeout", "5"}), HasSubstr("--timeout: a duration"));
  EXPECT_EQ(error_of({"stop", "--timeout", "25h"}), "stop: --timeout: at most 24h");
}

TEST(Cli, FlagsOfLaterFeaturesAreUnknown) {
  for (const char* flag : {"--upload", "--write", "--dav", "--tls", "--open"}) {
    EXPECT_THAT(error_of({"serve", flag}), HasSubstr("unknown flag")) << flag;
  }
}

// A directory removed under a shell that stands in it.
TEST(Cli, AFileByItsWholePathNeedsNoWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  const auto gone = std::filesystem::temp_directory_path() / ("gone-" + std::to_string(getpid()));
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  std::filesystem::remove(gone);
  const auto file = parse({"check", "-c", "/etc/s.yaml"});
  const std::string quick = error_of({"check"});
  const std::string flags = error_of({"check", "-c", "/etc/s.yaml", "--workers", "1"});
  std::filesystem::current_path(before);
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(file->inputs.file_path, "/etc/s.yaml");
  EXPECT_EQ(quick, "check: the working directory is gone");
  EXPECT_EQ(flags, quick);
}

TEST(Cli, TheQuickRouteExcludesAFile) {
  EXPECT_THAT(error_of({"serve", "dir", "-c", "f"}), HasSubstr("DIR"));
  EXPECT_THAT(error_of({"serve", "-c", "f", "--root", "x"}), HasSubstr("--root"));
  EXPECT_THAT(error_of({"serve", "-c", "f", "--index", "x"}), HasSubstr("--index"));
  EXPECT_THAT(error_of({"serve", "dir", "--root", "x"}), HasSubstr("--root"));
  EXPECT_TRUE(parse({"serve", "-c", "f", "--workers", "2"}));
}

TEST(Cli, HelpIsNoError) {
  EXPECT_THAT(good({"--help"}).text, HasSubstr("servery reload"));
  const Command help = good({"serve", "--help"});
  EXPECT_EQ(help.kind, CommandKind::kHelp);
  EXPECT_THAT(help.text, HasSubstr("--listen ADDRESS"));
  EXPECT_THAT(good({"stop", "-h"}).text, HasSubstr("--timeout DURATION"));
  EXPECT_EQ(good({"help", "serve"}).text, help.text);
  EXPECT_EQ(good({"--version"}).kind, CommandKind::kVersion);
  EXPECT_EQ(good({"-V"}).kind, CommandKind::kVersion);
  EXPECT_THAT(error_of({"serve", "--port", "9000"}), HasSubstr("did you mean --listen?"));
  EXPECT_TRUE(good({"config", "--json"}).json);
}

TEST(Cli, UsersOfQuickMode) {
  const Command command = good({"serve", "public", "--auth", "alice:a:b", "--auth", "bob"});
  const Settings settings = settings_of(command);
  EXPECT_EQ(settings.routes.at(0).auth, "login");
  ASSERT_EQ(settings.auth.size(), 1U);
  const std::vector<std::string>& lines = settings.auth[0].users;
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(verify_password(lines[0].substr(lines[0].find(':') + 1), "a:b"));
  ASSERT_EQ(command.made_passwords.size(), 1U);
  EXPECT_EQ(command.made_passwords[0].user, "bob");
  EXPECT_TRUE(
      verify_password(lines[1].substr(lines[1].find(':') + 1), command.made_passwords[0].password));
  EXPECT_EQ(command.inputs.encode().find("a:b"), std::string::npos);
  EXPECT_THAT(error_of({"serve", "-c", "x.yaml", "--auth", "a:b"}), HasSubstr("--auth"));
  EXPECT_THAT(error_of({"serve", "--auth", "alice:"}), HasSubstr("empty"));
  EXPECT_THAT(error_of({"serve", "--auth", ":secret"}), Not(HasSubstr("secret")));
}

TEST(Cli, Passwd) {
  const PasswdRequest plain = good({"passwd", "alice"}).passwd;
  EXPECT_EQ(plain.user, "alice");
  EXPECT_EQ(plain.file, here("users.htpasswd"));
  EXPECT_EQ(plain.kind, HashKind::kArgon2id);
  EXPECT_FALSE(plain.remove);
  const PasswdRequest full =
      good({"passwd", "alice", "/etc/u", "--hash", "bcrypt", "--delete"}).passwd;
  EXPECT_EQ(full.file, "/etc/u");
  EXPECT_EQ(full.kind, HashKind::kBcrypt);
  EXPECT_TRUE(full.remove);
  EXPECT_THAT(error_of({"passwd"}), HasSubstr("USER"));
  EXPECT_THAT(error_of({"passwd", "a:b"}), HasSubstr("colon"));
  EXPECT_THAT(error_of({"passwd", "a", "u", "--hash", "md5"}), HasSubstr("argon2id"));
}

}  // namespace
}  // namespace servery
