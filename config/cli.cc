#include "config/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>

#include "common/base/text.h"
#include "common/credentials/htpasswd.h"
#include "config/flag_overlay.h"
#include "config/load.h"
#include "config/scalar.h"
#include "config/schema.h"
#include "config/surroundings.h"
#include "config/value.h"

namespace servery {
namespace {

struct CommandRow {
  std::string_view name;
  CommandKind kind;
  std::string_view usage;
  std::string_view doc;
};

constexpr CommandRow kCommands[] = {
    {"serve", CommandKind::kServe, "serve [DIR | -c FILE] [flags]", "run in the foreground"},
    {"check", CommandKind::kCheck, "check [DIR | -c FILE] [flags]",
     "validate a configuration: every problem, no side effect"},
    {"config", CommandKind::kConfig, "config [DIR | -c FILE] [flags]",
     "print the effective configuration and where each value came from"},
    {"plan", CommandKind::kPlan, "plan [-c FILE]", "what a reload would do now"},
    {"reload", CommandKind::kReload, "reload [-c FILE]",
     "reload the running server, with a verdict"},
    {"status", CommandKind::kStatus, "status", "state of the running server; exit 0 when ready"},
    {"stop", CommandKind::kStop, "stop", "stop the running server gracefully and wait"},
    {"passwd", CommandKind::kPasswd, "passwd USER [FILE]",
     "set or remove a user's password in a password file"},
    {"version", CommandKind::kVersion, "version", "version, compiler, libraries, features"},
};

constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 1 failed at run time, 2 the input is wrong, 3 no server there.\n";

bool takes_settings(CommandKind kind) {
  return kind == CommandKind::kServe || kind == CommandKind::kCheck || kind == CommandKind::kConfig;
}

bool talks_to_server(CommandKind kind) {
  return kind == CommandKind::kPlan || kind == CommandKind::kReload ||
         kind == CommandKind::kStatus || kind == CommandKind::kStop;
}

bool takes_file(CommandKind kind) {
  return takes_settings(kind) || kind == CommandKind::kPlan || kind == CommandKind::kReload;
}

std::string overview() {
  std::string out = "servery: serves one service on the public internet from one Linux host.\n\n";
  for (const CommandRow& row : kCommands) {
    out += fmt::format("  servery {:<31} {}\n", row.usage, row.doc);
  }
  out += "\n`servery COMMAND --help` names the flags of a command.\n";
  return out + std::string(kExitCodes);
}

// Up to the first full stop: flags are explained in one line, the rest is in the documents.
std::string first_sentence(std::string_view doc) {
  const std::size_t end = std::min(doc.find(". "), doc.find(": "));
  std::string out(doc.substr(0, end));
  if (out.ends_with('.')) out.pop_back();
  return out;
}

// One command's flags: declares them to CLI11, then turns what was given into a Command.
class CommandLine {
 public:
  CommandLine(const CommandRow& row, const Surroundings& surroundings)
      : row_(row), surroundings_(surroundings), app_(std::string(row.doc), std::string(row.name)) {
    app_.set_help_flag("-h,--help", "This text");
    declare();
  }

  Result<Command> parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      Command help;
      help.text = help_text();
      return help;
    } catch (const CLI::ExtrasError&) {
      return unexpected();
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string text = error.what();
      const std::string flag = text.substr(0, text.find(": "));
      const bool missing = text.ends_with("missing");
      return usage_error(flag + (missing ? ": a value is expected" : ": may be given once"));
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what());
    }
    return build();
  }

 private:
  void declare() {
    if (takes_file(row_.kind)) {
      app_.add_option("-c", file_, "Configuration file")->type_name("FILE");
    }
    if (takes_settings(row_.kind)) declare_settings();
    if (talks_to_server(row_.kind)) {
      app_.add_option("--control", control_, "Control socket of the server")->type_name("PATH");
    }
    if (talks_to_server(row_.kind) || row_.kind == CommandKind::kCheck ||
        row_.kind == CommandKind::kConfig) {
      app_.add_flag("--json", json_, "Print one JSON object");
    }
    if (row_.kind == CommandKind::kReload) {
      app_.add_flag("--wait-drained", wait_drained_, "Return when the old generation is gone");
    }
    if (row_.kind == CommandKind::kPasswd) declare_passwd();
    if (row_.kind == CommandKind::kStop) {
      app_.add_option("--timeout", timeout_, "In place of runtime.stop_timeout")
          ->type_name("DURATION");
    }
  }

  void declare_settings() {
    app_.add_option("DIR", directory_, "Directory to serve without a file (default .)");
    for (const Row& row : schema()) {
      if (row.flag.empty()) continue;
      if (row.type == Type::kBoolean) {
        app_.add_flag_callback(
            std::string(row.flag), [this, &row] { values_[&row] = {"true"}; },
            first_sentence(row.doc));
        continue;
      }
      auto* option = app_.add_option(std::string(row.flag), values_[&row], first_sentence(row.doc));
      // One value each time: what follows it is DIR, not another value.
      option->type_name(type_name(row))->expected(1)->allow_extra_args(false);
      if (is_repeatable(row)) {
        option->take_all();
      } else {
        option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
      }
    }
    app_.add_option("--host", hosts_, "A name the local profile allows as Host")
        ->type_name("NAME")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    app_.add_option("--auth", users_, "Ask for a user and a password; without PASS one is made")
        ->type_name("USER[:PASS]")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
    app_.add_option("--set", sets_, "Any other key, value as YAML")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->allow_extra_args(false)
        ->take_all();
  }

  void declare_passwd() {
    app_.add_option("USER", user_, "Whose password")->required();
    app_.add_option("FILE", password_file_, "Password file (default users.htpasswd)");
    app_.add_option("--hash", hash_kind_, "Kind of hash (default argon2id)")
        ->type_name("argon2id|bcrypt|sha512");
    app_.add_flag("--delete", remove_user_, "Remove the user");
  }

  Status build_passwd(PasswdRequest& request) const {
    if (const auto wrong = check_user_name(user_)) return usage_error(*wrong);
    if (password_file_.empty()) return usage_error("FILE: a path is expected");
    const auto kind = parse_hash_kind(hash_kind_);
    if (!kind) return usage_error("--hash: argon2id, bcrypt or sha512 is expected");
    if (password_file_.front() != '/') SERVERY_TRY(need_directory());
    request = {user_, absolute_path(password_file_, surroundings_.directory()), *kind,
               remove_user_};
    return {};
  }

  std::string help_text() const {
    std::string out = fmt::format("Usage: servery {}\n\n{}.\n\n", row_.usage, row_.doc);
    for (const CLI::Option* option : app_.get_options()) {
      const std::string names =
          option->get_positional() ? option->get_name(true) : option->get_name(false, true);
      const std::string type = option->get_positional() ? "" : option->get_type_name();
      out += fmt::format("  {:<34} {}\n", names + (type.empty() ? "" : " " + type),
                         option->get_description());
    }
    return fmt::format("{}\n{}", out, kExitCodes);
  }

  static bool is_route_flag(const Row& row) { return row.key.starts_with("routes[]."); }

  static std::string type_name(const Row& row) {
    switch (row.type) {
      case Type::kChoice:
        return std::string(row.choices);
      case Type::kWorkers:
        return "N";
      case Type::kAddress:
        return "ADDRESS";
      case Type::kNames:
        return "NAME";
      default:
        return "PATH";
    }
  }

  // "serve: MESSAGE": names the place.
  tl::unexpected<Error> usage_error(std::string_view message) const {
    std::string line(message.substr(0, message.find('\n')));
    return fail(Errc::kInvalid, fmt::format("{}: {}", row_.name, line));
  }

  tl::unexpected<Error> unexpected() const {
    const auto rest = app_.remaining();
    const std::string word = rest.empty() ? std::string() : rest.front();
    if (!word.starts_with('-')) return usage_error(fmt::format("unexpected argument `{}`", word));
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    for (const CLI::Option* option : app_.get_options()) {
      for (const std::string& flag : option->get_lnames()) known.push_back("--" + flag);
    }
    auto near = nearest_name(name, {known.begin(), known.end()});
    if (name == "--port" || name == "-p") near = "--listen";
    const std::string hint = near ? fmt::format(" (did you mean {}?)", *near) : std::string();
    return usage_error(fmt::format("unknown flag {}{}", name, hint));
  }

  Result<Command> build() {
    Command command;
    command.kind = row_.kind;
    command.json = json_;
    command.wait_drained = wait_drained_;
    const std::string file = SERVERY_TRY(resolve("-c", file_));
    if (takes_settings(row_.kind)) {
      SERVERY_TRY(build_inputs(command.inputs));
      SERVERY_TRY(add_users(command));
      command.inputs.file_path = file;
    } else {
      command.file = file;
    }
    if (row_.kind == CommandKind::kPasswd) SERVERY_TRY(build_passwd(command.passwd));
    if (talks_to_server(row_.kind)) SERVERY_TRY(find_socket(command));
    if (!timeout_.empty()) {
      command.timeout = parse_duration(timeout_);
      if (!command.timeout) return usage_error("--timeout: a duration such as 10s is expected");
      const Row& row = *find_row("runtime.stop_timeout");
      if (static_cast<double>(command.timeout->count()) > row.maximum) {
        return usage_error("--timeout: at most 24h");
      }
    }
    return command;
  }

  // The absolute path of an option that may be absent.
  Result<std::string> resolve(const std::string& flag, const std::string& path) const {
    const CLI::Option* option = app_.get_option_no_throw(flag);
    if (option == nullptr || option->count() == 0) return std::string();
    if (path.empty()) return usage_error(flag + ": a path is expected");
    if (path.front() != '/') SERVERY_TRY(need_directory());
    return absolute_path(path, surroundings_.directory());
  }

  Status need_directory() const {
    if (surroundings_.directory().empty()) return usage_error("the working directory is gone");
    return {};
  }

  Status build_inputs(Inputs& inputs) {
    inputs.working_directory = surroundings_.directory();
    inputs.environment = surroundings_.overlays();
    inputs.default_control_socket = surroundings_.default_socket();
    inputs.container = !surroundings_.variable("container").empty();
    inputs.local_hosts = hosts_;
    if (app_.count("DIR") > 0) SERVERY_TRY(add_directory(inputs));
    for (const Row& row : schema()) {
      if (row.flag.empty() || values_[&row].empty()) continue;
      if (is_route_flag(row) && !file_.empty()) {
        return usage_error(fmt::format("{} sets the route of a start without -c FILE", row.flag));
      }
      auto& flags = is_route_flag(row) ? inputs.route_flags : inputs.flags;
      flags.push_back(overlay_of(row, values_[&row]));
    }
    for (const std::string& text : sets_) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        return usage_error(fmt::format("--set {}: KEY=VALUE is expected", text));
      }
      inputs.flags.push_back(Overlay{"--set", text.substr(0, equals), text.substr(equals + 1)});
    }
    // A file alone (its path is absolute by now) refers to no working directory.
    const bool file_alone = !file_.empty() && inputs.flags.empty() && inputs.environment.empty();
    if (!file_alone) return need_directory();
    if (inputs.working_directory.empty()) inputs.working_directory = "/";
    return {};
  }

  // Hashed here: the settings, the supervisor and a reload never see the password.
  Status add_users(Command& command) const {
    if (users_.empty()) return {};
    if (!file_.empty()) return usage_error("--auth sets the route of a start without -c FILE");
    std::vector<std::string> lines;
    for (const std::string& text : users_) {
      const std::size_t colon = text.find(':');
      const std::string user = text.substr(0, colon);
      if (const auto wrong = check_user_name(user)) return usage_error("--auth: " + *wrong);
      const bool is_made = colon == std::string::npos;
      std::string password = is_made ? SERVERY_TRY(make_password()) : text.substr(colon + 1);
      const auto hash = hash_password(HashKind::kArgon2id, password);
      if (!hash) return usage_error("--auth: " + hash.error().text);
      lines.push_back(user + ":" + *hash);
      if (is_made) command.made_passwords.push_back({user, std::move(password)});
    }
    for (Overlay& overlay : overlays_of_users(lines)) {
      command.inputs.route_flags.push_back(std::move(overlay));
    }
    return {};
  }

  Status add_directory(Inputs& inputs) {
    if (!file_.empty()) return usage_error("DIR and -c FILE exclude each other");
    const Row* root = find_row("routes[].static.root");
    if (!values_[root].empty()) return usage_error("DIR and --root say the same; use one");
    inputs.route_flags.push_back({"DIR", "routes[0].static.root", quoted_yaml_text(directory_)});
    return {};
  }

  // The flag, else the environment's key, else the default place.
  Status find_socket(Command& command) {
    command.control_socket = SERVERY_TRY(resolve("--control", control_));
    command.control_given = !command.control_socket.empty();
    if (command.control_given) return {};
    Inputs inputs;
    inputs.working_directory = surroundings_.directory();
    for (const Overlay& overlay : surroundings_.overlays()) {
      if (overlay.key == "runtime.control_socket") inputs.environment.push_back(overlay);
    }
    const Loaded loaded = load(inputs);
    if (!loaded.ok()) return usage_error(format_problem(loaded.problems.front()));
    command.control_socket = loaded.settings.runtime.control_socket;
    command.control_given = !command.control_socket.empty();
    if (!command.control_given) command.control_socket = surroundings_.default_socket();
    return {};
  }

  const CommandRow& row_;
  const Surroundings& surroundings_;
  CLI::App app_;
  std::string file_;
  std::string directory_;
  std::string control_;
  std::string timeout_;
  std::vector<std::string> hosts_;
  std::vector<std::string> sets_;
  std::vector<std::string> users_;
  std::string user_;
  std::string password_file_ = "users.htpasswd";
  std::string hash_kind_ = "argon2id";
  bool remove_user_ = false;
  std::map<const Row*, std::vector<std::string>> values_;
  bool json_ = false;
  bool wait_drained_ = false;
};

tl::unexpected<Error> no_such_command(std::string_view word) {
  if (word.empty()) return fail(Errc::kInvalid, "a command is expected; see --help");
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) names.push_back(row.name);
  const auto near = nearest_name(word, names);
  return fail(Errc::kInvalid,
              fmt::format("unknown command `{}`{}", word,
                          near ? fmt::format(" (did you mean {}?)", *near) : "; see --help"));
}

}  // namespace

Result<Command> parse_command_line(int argc, const char* const* argv,
                                   const char* const* variables) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word == "help" && argc > 2) {  // `help COMMAND`
    const std::array<const char*, 3> asked{argv[0], argv[2], "--help"};
    return parse_command_line(asked.size(), asked.data(), variables);
  }
  if (word == "--help" || word == "-h" || word == "help") {
    Command help;
    help.text = overview();
    return help;
  }
  const std::string_view name = word == "--version" || word == "-V" ? "version" : word;
  const auto row = std::find_if(std::begin(kCommands), std::end(kCommands),
                                [name](const CommandRow& each) { return each.name == name; });
  if (row == std::end(kCommands)) return no_such_command(word);
  const Surroundings surroundings(variables);
  return CommandLine(*row, surroundings).parse(argc - 1, argv + 1);
}

}  // namespace servery
