#include "config/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/json_fields.h"

namespace servery {

// Found by argument-dependent lookup, hence static and not in an unnamed namespace.

static constexpr ReloadTier enum_last(ReloadTier) { return ReloadTier::kRestart; }
static constexpr AddressKind enum_last(AddressKind) { return AddressKind::kFd; }
static constexpr AddressFamily enum_last(AddressFamily) { return AddressFamily::kIpv6; }

template <typename Visitor>
static void describe(Visitor& visit, Problem& value) {
  visit("file", value.file);
  visit("line", value.line);
  visit("column", value.column);
  visit("key", value.key);
  visit("reason", value.reason);
  visit("message", value.message);
  visit("suggestion", value.suggestion);
}

template <typename Visitor>
static void describe(Visitor& visit, PlanChange& value) {
  visit("key", value.key);
  visit("old", value.old_value);
  visit("new", value.new_value);
  visit("tier", value.tier);
}

template <typename Visitor>
static void describe(Visitor& visit, PlanFile& value) {
  visit("key", value.key);
  visit("path", value.path);
  visit("fingerprint", value.fingerprint);
}

template <typename Visitor>
static void describe(Visitor& visit, PlanListener& value) {
  visit("configured", value.configured);
  visit("kind", value.kind);
  visit("family", value.family);
  visit("ip", value.ip);
  visit("port", value.port);
  visit("path", value.path);
  visit("mode", value.mode);
  visit("fd", value.fd);
}

template <typename Visitor>
static void describe(Visitor& visit, PlanIdentity& value) {
  visit("user", value.user);
  visit("uid", value.uid);
  visit("gid", value.gid);
  visit("groups", value.groups);
}

template <typename Visitor>
static void describe(Visitor& visit, RestartSettings& value) {
  visit("backoff_initial", value.backoff_initial);
  visit("backoff_max", value.backoff_max);
  visit("limit", value.limit);
  visit("window", value.window);
}

template <typename Visitor>
static void describe(Visitor& visit, RecycleSettings& value) {
  visit("max_requests", value.max_requests);
  visit("max_age", value.max_age);
  visit("jitter", value.jitter);
}

template <typename Visitor>
static void describe(Visitor& visit, HeartbeatSettings& value) {
  visit("suspect", value.suspect);
  visit("warn", value.warn);
  visit("abort", value.abort);
}

template <typename Visitor>
static void describe(Visitor& visit, RuntimeSettings& value) {
  visit("workers", value.workers);
  visit("min_workers", value.min_workers);
  visit("start_timeout", value.start_timeout);
  visit("drain_timeout", value.drain_timeout);
  visit("stop_timeout", value.stop_timeout);
  visit("force_timeout", value.force_timeout);
  visit("restart", value.restart);
  visit("recycle", value.recycle);
  visit("heartbeat", value.heartbeat);
  visit("user", value.user);
  visit("group", value.group);
  visit("control_socket", value.control_socket);
}

template <typename Visitor>
static void describe(Visitor& visit, Plan& value) {
  visit("profile", value.profile);
  visit("config_path", value.config_path);
  visit("workers", value.workers);
  visit("runtime", value.runtime);
  visit("listeners", value.listeners);
  visit("default_port_scan", value.default_port_scan);
  visit("identity", value.identity);
  visit("control_socket", value.control_socket);
  visit("control_socket_default", value.control_socket_default);
  visit("connections", value.connections);
  visit("log_level", value.log_level);
  visit("roots", value.roots);
  visit("named_files", value.named_files);
  visit("files", value.files);
  visit("fingerprint", value.fingerprint);
  visit("tier", value.tier);
  visit("changes", value.changes);
  visit("problems", value.problems);
}

namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json number_or_null(std::uint32_t number) { return number == 0 ? Json(nullptr) : Json(number); }

}  // namespace

Json to_json(const Problem& problem) {
  Json json = Json::object();
  json["file"] = text_or_null(problem.file);
  json["line"] = number_or_null(problem.line);
  json["column"] = number_or_null(problem.column);
  json["key"] = text_or_null(problem.key);
  json["reason"] = problem.reason;
  json["message"] = problem.message;
  json["suggestion"] = text_or_null(problem.suggestion);
  return json;
}

std::string format_problem(const Problem& problem) {
  std::string out;
  if (!problem.file.empty()) {
    out = problem.file;
    if (problem.line != 0) out += fmt::format(":{}:{}", problem.line, problem.column);
    out += ": ";
  }
  if (!problem.key.empty()) out += problem.key + ": ";
  out += problem.message;
  if (!problem.suggestion.empty()) out += fmt::format(" (did you mean {}?)", problem.suggestion);
  return out;
}

std::string_view tier_name(ReloadTier tier) {
  switch (tier) {
    case ReloadTier::kNone:
      return "none";
    case ReloadTier::kGeneration:
      return "generation";
    case ReloadTier::kRestart:
      return "restart";
  }
  return "";
}

void add_file_changes(Plan& plan, const Plan& old) {
  for (const PlanFile& file : plan.files) {
    const bool is_other =
        std::any_of(old.files.begin(), old.files.end(), [&file](const PlanFile& known) {
          return known.key == file.key && known.path == file.path &&
                 known.fingerprint != file.fingerprint;
        });
    if (!is_other) continue;
    plan.changes.push_back(
        {file.key, file.path, file.path + " (other content)", ReloadTier::kGeneration});
    plan.tier = std::max(plan.tier, ReloadTier::kGeneration);
  }
}

Json to_json(const Plan& plan) { return json_fields::FieldWriter::write(plan); }

Result<Plan> plan_from_json(const Json& json) {
  Plan plan;
  if (!json_fields::FieldReader::read(json, plan)) return fail(Errc::kInvalid, "not a plan");
  return plan;
}

Result<Plan> parse_plan(std::string_view text) {
  const Json json = SERVERY_TRY(parse_json(text, kMaxPlanBytes));
  return plan_from_json(json);
}

}  // namespace servery
