#include "supervisor/control_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "config/plan.h"

namespace servery {
namespace {

using Row = std::vector<std::string>;

constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kPlain = "\x1b[0m";

const Json& member(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found == object.end() ? kNull : *found;
}

// Text of the server reaches a terminal: nothing in it may be a control sequence.
std::string text(const Json& value) {
  if (value.is_null()) return "-";
  std::string out = value.is_string() ? value.get<std::string>() : dump_json(value);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return out.empty() ? "-" : out;
}

std::string text(const Json& object, const char* name) { return text(member(object, name)); }

double number(const Json& object, const char* name) {
  const Json& value = member(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

std::string paint(const std::string& word, bool colour) {
  if (!colour) return word;
  std::string_view tone = kYellow;
  if (word == "ready" || word == "committed" || word == "ok") tone = kGreen;
  if (word == "failed" || word == "invalid" || word.starts_with("rolled")) tone = kRed;
  return fmt::format("{}{}{}", tone, word, kPlain);
}

std::string section(std::string_view title, const std::vector<Row>& rows) {
  if (rows.size() < 2) return {};
  return fmt::format("\n{}\n{}", title, format_table(rows));
}

std::string last_exit_text(const Json& exit) {
  if (!exit.is_object()) return "-";
  std::string out = text(exit, "reason");
  if (!member(exit, "signal").is_null()) out += " by signal " + text(exit, "signal");
  if (!member(exit, "code").is_null()) out += " with code " + text(exit, "code");
  return out;
}

std::string generations_section(const Json& list) {
  std::vector<Row> rows{{"ID", "STATE", "WORKERS", "CONNECTIONS", "SINCE", "DEADLINE"}};
  for (const Json& entry : list) {
    rows.push_back({text(entry, "id"), text(entry, "state"), text(entry, "workers"),
                    format_count(number(entry, "connections")), text(entry, "since"),
                    text(entry, "deadline")});
  }
  return section("generations", rows);
}

std::string workers_section(const Json& list) {
  std::vector<Row> rows{{"SLOT", "GENERATION", "PID", "STATE", "AGE", "CONNECTIONS", "REQUESTS",
                         "CPU", "MEMORY", "RESTARTS", "LAST EXIT"}};
  for (const Json& entry : list) {
    rows.push_back({text(entry, "slot"), text(entry, "generation"), text(entry, "pid"),
                    text(entry, "state"), format_span(number(entry, "age_s")),
                    format_count(number(entry, "connections")),
                    format_count(number(entry, "requests")), format_span(number(entry, "cpu_s")),
                    format_bytes(number(entry, "rss_bytes")), text(entry, "restarts"),
                    last_exit_text(member(entry, "last_exit"))});
  }
  return section("workers", rows);
}

std::string listeners_section(const Json& list) {
  std::vector<Row> rows{{"ADDRESS", "CONFIGURED", "KIND", "MODE", "SOCKETS", "LENT"}};
  for (const Json& entry : list) {
    std::string lent;
    for (const Json& loan : member(entry, "lent")) {
      const std::string to = member(loan, "to").is_null() ? "spare" : text(loan, "to");
      lent += fmt::format("{}{}->{}", lent.empty() ? "" : " ", text(loan, "slot"), to);
    }
    rows.push_back({text(entry, "address"), text(entry, "configured"), text(entry, "kind"),
                    text(entry, "mode"), text(entry, "sockets"), lent.empty() ? "-" : lent});
  }
  return section("listeners", rows);
}

std::string draining_section(const Json& list) {
  std::vector<Row> rows{{"GENERATION", "DEADLINE", "IDLE", "RESPONSES", "REQUESTS", "JOBS"}};
  for (const Json& entry : list) {
    const Json& open = member(entry, "open");
    rows.push_back({text(entry, "generation"), text(entry, "deadline"), text(open, "keepalive"),
                    text(open, "response"), text(open, "request"), text(open, "pool")});
  }
  return section("draining, waiting for", rows);
}

Problem to_problem(const Json& json) {
  const auto field = [&json](const char* name) {
    return member(json, name).is_null() ? std::string() : text(json, name);
  };
  Problem problem;
  problem.file = field("file");
  problem.line = static_cast<std::uint32_t>(number(json, "line"));
  problem.column = static_cast<std::uint32_t>(number(json, "column"));
  problem.key = field("key");
  problem.message = field("message");
  problem.suggestion = field("suggestion");
  return problem;
}

std::string problems_text(const Json& result) {
  std::string out;
  for (const Json& entry : member(result, "problems")) {
    out += format_problem(to_problem(entry)) + "\n";
  }
  return out;
}

std::string joined(const Json& list) {
  std::string out;
  for (const Json& entry : list) out += (out.empty() ? "" : ", ") + text(entry);
  return out.empty() ? "-" : out;
}

bool is_numeric(const std::string& cell) {
  return !cell.empty() && is_digit(cell.front()) &&
         std::all_of(cell.begin(), cell.end(), [](char c) { return is_digit(c) || c == '.'; });
}

}  // namespace

std::string format_count(double value) {
  if (value < 10'000) return fmt::format("{:.0f}", value);
  if (value < 1'000'000) return fmt::format("{:.1f}k", value / 1000);
  return fmt::format("{:.1f}M", value / 1'000'000);
}

std::string format_bytes(double bytes) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit > 1 && bytes < 100 ? 1 : 0, kUnits[unit]);
}

std::string format_span(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86'400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86'400, whole / 3600 % 24);
}

std::string format_table(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  std::vector<bool> right(rows.front().size(), rows.size() > 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      widths[c] = std::max(widths[c], rows[r][c].size());
      if (r > 0 && !is_numeric(rows[r][c])) right[c] = false;
    }
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += right[c] ? fmt::format("  {:>{}}", row[c], widths[c])
                       : fmt::format("  {:<{}}", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string format_status(const Json& status, bool colour) {
  const Json& config = member(status, "config");
  std::string out = fmt::format("servery {}: {}, pid {}, up {}\n", text(status, "version"),
                                paint(text(status, "state"), colour), text(status, "pid"),
                                format_span(number(status, "uptime_s")));
  out += fmt::format("configuration {} (profile {}), generation {}\n",
                     member(config, "path").is_null() ? "from flags" : text(config, "path"),
                     text(config, "profile"), text(status, "generation"));
  if (const Json& last = member(status, "last_reload"); last.is_object()) {
    out +=
        fmt::format("last reload {} at {}", paint(text(last, "verdict"), colour), text(last, "at"));
    if (member(last, "error").is_string()) out += ": " + text(last, "error");
    out += "\n";
  }
  for (const Json& reason : member(status, "reasons")) {
    const bool loops = member(reason, "reason") == "crash_loop";
    out += fmt::format("slot {} {}\n", text(reason, "slot"),
                       loops ? fmt::format("is in a crash loop (last exit: {})",
                                           last_exit_text(member(reason, "last_exit")))
                             : "is served by another worker");
  }
  for (const Json& fallback : member(status, "fallbacks")) {
    out += fmt::format("without {} in {} workers: see docs/support.md\n", text(fallback, "call"),
                       text(fallback, "workers"));
  }
  out += generations_section(member(status, "generations"));
  out += workers_section(member(status, "workers"));
  out += listeners_section(member(status, "listeners"));
  out += draining_section(member(status, "draining"));
  return out;
}

std::string format_verdict(std::string_view command, const Json& result, bool colour) {
  std::string out = fmt::format("{}: {}", command, paint(text(result, "verdict"), colour));
  if (!member(result, "generation").is_null()) {
    out += fmt::format(", generation {}", text(result, "generation"));
  }
  if (!member(result, "tier").is_null()) out += fmt::format(", tier {}", text(result, "tier"));
  if (!member(result, "duration_ms").is_null()) {
    out += fmt::format(", {} ms", text(result, "duration_ms"));
  }
  return out + "\n" + problems_text(result);
}

std::string format_plan(const Json& result, bool colour) {
  if (member(result, "verdict") != "ok" && member(result, "tier").is_null()) {
    return format_verdict("plan", result, colour);
  }
  const Json& listeners = member(result, "listeners");
  const Json& workers = member(result, "workers");
  std::string out = fmt::format("tier       {}\n", text(result, "tier"));
  out +=
      fmt::format("listeners  opened {}; kept {}; closed {}\n", joined(member(listeners, "opened")),
                  joined(member(listeners, "kept")), joined(member(listeners, "closed")));
  out += fmt::format("workers    {} -> {}, {} replaced, {} connections open on them\n",
                     text(workers, "now"), text(workers, "then"), text(workers, "replaced"),
                     text(result, "connections"));
  const Json& changes = member(result, "changes");
  out += changes.empty() ? "changes    none\n" : "changes\n";
  for (const Json& change : changes) {
    const auto shown = [&change](const char* name) {
      return member(change, name) == "" ? std::string("(absent)") : text(change, name);
    };
    out += fmt::format("  {}: {} -> {} ({})\n", text(change, "key"), shown("old"), shown("new"),
                       text(change, "tier"));
  }
  const std::string problems = problems_text(result);
  if (!problems.empty()) {
    out += "a reload now would be " + paint("rolled back", colour) + ":\n" + problems;
  }
  return out;
}

}  // namespace servery
