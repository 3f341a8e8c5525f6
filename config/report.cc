#include "config/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "config/check.h"
#include "config/effective.h"

namespace servery {
namespace {

void write_line(std::FILE* stream, const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fputc('\n', stream);
}

// "routes[0].static.root" -> {"routes", "[0]", "static"}, "root".
struct SplitKey {
  std::vector<std::string_view> sections;
  std::string_view leaf;
};

SplitKey split_key(std::string_view key) {
  SplitKey out;
  for (std::size_t end = key.find_first_of(".["); end != std::string_view::npos;
       end = key.find_first_of(".[", 1)) {
    if (end > 0) out.sections.push_back(key.substr(0, end));
    key.remove_prefix(end + (key[end] == '.' ? 1 : 0));
  }
  out.leaf = key;
  return out;
}

// `key: value  # origin` lines, under the names of the sections they stand in.
class YamlWriter {
 public:
  explicit YamlWriter(const Loaded& loaded) : loaded_(loaded) {}

  std::string write() {
    const auto values = effective_values(loaded_.settings);
    for (const EffectiveValue& value : values) add(value);
    return std::move(out_);
  }

 private:
  void add(const EffectiveValue& value) {
    const SplitKey key = split_key(value.key);
    const auto mismatch =
        std::mismatch(key.sections.begin(), key.sections.end(), open_.begin(), open_.end());
    for (auto section = mismatch.first; section != key.sections.end(); ++section) {
      const auto depth = static_cast<std::size_t>(section - key.sections.begin());
      if (section->front() == '[') {
        dash_ = true;
      } else {
        out_ += fmt::format("{}{}:\n", indent(depth), *section);
      }
    }
    open_ = key.sections;
    const std::string line =
        fmt::format("{}{}: {}", indent(key.sections.size()), key.leaf, value.text);
    const Origin* origin = loaded_.provenance.find(value.key);
    out_ += fmt::format("{:<{}} # {}\n", line, kCommentColumn,
                        describe_origin(origin == nullptr ? Origin{} : *origin));
  }

  // The first line of a list item begins with a dash.
  std::string indent(std::size_t depth) {
    if (!dash_) return std::string(depth * 2, ' ');
    dash_ = false;
    return std::string((depth - 1) * 2, ' ') + "- ";
  }

  static constexpr int kCommentColumn = 44;

  const Loaded& loaded_;
  std::string out_;
  std::vector<std::string_view> open_;
  bool dash_ = false;
};

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_problems(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) write_line(stderr, "servery: " + format_problem(problem));
}

}  // namespace

std::string effective_yaml(const Loaded& loaded) {
  std::string out = YamlWriter(loaded).write();
  for (const std::string& host : loaded.settings.local_hosts) {
    out += fmt::format("# flag --host: {} is allowed as Host too\n", host);
  }
  return out;
}

Json effective_json(const Loaded& loaded) {
  Json values = Json::array();
  for (const EffectiveValue& value : effective_values(loaded.settings)) {
    const Origin* origin = loaded.provenance.find(value.key);
    values.push_back({{"key", value.key},
                      {"value", value.text},
                      {"origin", describe_origin(origin == nullptr ? Origin{} : *origin)}});
  }
  return values;
}

Json check_report(const Plan& plan) {
  Json report = Json::object();
  report["verdict"] = plan.ok() ? "valid" : "invalid";
  report["problems"] = Json::array();
  for (const Problem& problem : plan.problems) report["problems"].push_back(to_json(problem));
  return report;
}

int run_check_command(const Command& command) {
  Inputs inputs = command.inputs;
  Plan plan;
  if (auto problem = read_config_file(inputs)) {
    plan.problems.push_back(std::move(*problem));
  } else {
    plan = check_inputs(inputs);
  }
  if (command.json) {
    write_line(stdout, dump_json(check_report(plan)));
  } else if (plan.ok()) {
    const std::string what = inputs.quick() ? "the configuration" : inputs.file_path;
    write_line(stdout,
               fmt::format("{} is valid: {}, {}", what, counted(plan.listeners.size(), "listener"),
                           counted(plan.workers, "worker")));
  }
  if (!command.json) print_problems(plan.problems);
  return plan.ok() ? kExitDone : kExitInputWrong;
}

int run_config_command(const Command& command) {
  Inputs inputs = command.inputs;
  if (auto problem = read_config_file(inputs)) {
    print_problems({*problem});
    return kExitInputWrong;
  }
  const Loaded loaded = load(inputs);
  if (!loaded.ok()) {
    print_problems(loaded.problems);
    return kExitInputWrong;
  }
  if (command.json) {
    write_line(stdout, dump_json(effective_json(loaded)));
    return kExitDone;
  }
  if (!inputs.quick()) write_line(stdout, "# " + inputs.file_path);
  std::fputs(effective_yaml(loaded).c_str(), stdout);
  return kExitDone;
}

void print_version() {
#if defined(__clang__)
  constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
  constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif
  fmt::print("servery {}\ncompiler   {}\nlibraries  {}\nfeatures   {}\n", SERVERY_VERSION,
             kCompiler, SERVERY_LINKED_LIBRARIES,
             "http/1.1, static, coding, listing, archive, respond, redirect, auth, reload");
}

}  // namespace servery
