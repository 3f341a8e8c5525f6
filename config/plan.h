// What the supervisor acts on: the answer of the check child to a set of inputs, carried as JSON
// over a pipe. Plain values; the only header of config/ (with settings.h, which it builds on) that
// the supervisor includes, so that its process links neither the YAML parser nor the option parser.
// A plan with problems describes nothing to run: only its problems count.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/result.h"
#include "config/settings.h"

namespace servery {

// One thing wrong with the inputs, in the form product.md gives to `problems[]`.
struct Problem {
  std::string file;        // path, or the flag or environment variable the value came from
  std::uint32_t line = 0;  // 1-based; 0: no position
  std::uint32_t column = 0;
  std::string key;         // "runtime.workers", "routes[0].static.root"; empty: the whole input
  std::string reason;      // stable snake_case code
  std::string message;     // one sentence for the author
  std::string suggestion;  // nearest valid name or value; may be empty

  friend bool operator==(const Problem&, const Problem&) = default;
};

// More are not collected: the author has enough to do.
inline constexpr std::size_t kMaxProblems = 100;

Json to_json(const Problem& problem);
// "FILE:LINE:COLUMN: KEY: message (did you mean X?)", without the parts that are absent.
std::string format_problem(const Problem& problem);

enum class ReloadTier { kNone, kGeneration, kRestart };
std::string_view tier_name(ReloadTier tier);  // "none", "generation", "restart"

struct PlanChange {
  std::string key;
  std::string old_value;  // as `servery config` prints it; empty: absent
  std::string new_value;
  ReloadTier tier = ReloadTier::kGeneration;

  friend bool operator==(const PlanChange&, const PlanChange&) = default;
};

enum class AddressKind { kTcp, kUnix, kFd };
// kBoth (":443") means one IPv4 and one IPv6-only socket.
enum class AddressFamily { kBoth, kIpv4, kIpv6 };

struct PlanListener {
  std::string configured;  // the identity over reloads
  AddressKind kind = AddressKind::kTcp;
  AddressFamily family = AddressFamily::kBoth;  // kTcp only
  std::string ip;                               // kTcp; numeric, without brackets; empty for kBoth
  std::uint16_t port = 0;                       // kTcp; 0: the kernel chooses
  std::string path;                             // kUnix; absolute
  std::uint32_t mode = 0;                       // kUnix; permission bits
  std::string fd;                               // kFd; name (LISTEN_FDNAMES) or number

  friend bool operator==(const PlanListener&, const PlanListener&) = default;
};

// Whom workers become. Absent from a plan when the supervisor is not root, or stays root.
struct PlanIdentity {
  std::string user;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary

  friend bool operator==(const PlanIdentity&, const PlanIdentity&) = default;
};

// A file that a setting names and a reload reads anew.
struct PlanFile {
  std::string key;
  std::string path;
  std::string fingerprint;  // of its content

  friend bool operator==(const PlanFile&, const PlanFile&) = default;
};

struct Plan {
  std::string profile;
  std::string config_path;    // absolute; empty: no file (quick mode)
  std::uint32_t workers = 1;  // `auto` resolved
  RuntimeSettings runtime;    // timeouts, restart, recycle, heartbeat, min_workers
  std::vector<PlanListener> listeners;
  bool default_port_scan =
      false;  // no address was asked for: 8000 may become the next free up to 8063
  std::optional<PlanIdentity> identity;
  std::string control_socket;
  bool control_socket_default = false;  // not asked for: quick mode may use control-PID.sock there
  std::uint64_t connections = 0;        // limits.connections
  std::string log_level;
  std::vector<std::string>
      roots;                    // absolute, each once: opened O_PATH and passed by the supervisor
  std::string named_files;      // the texts that the settings name; workers cannot open the files
  std::vector<PlanFile> files;  // which those are
  std::string fingerprint;      // of the effective settings and of what they refer to
  ReloadTier tier = ReloadTier::kNone;  // against the old inputs given to the check, if any
  std::vector<PlanChange> changes;
  std::vector<Problem> problems;

  bool ok() const { return problems.empty(); }
};

// 1 MiB of users and 4 MiB of error pages, in base64.
inline constexpr std::size_t kMaxNamedFilesBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kMaxPlanBytes = 16 * 1024 * 1024;

// Adds to plan.changes the files that have other content than those of `old` at the same path.
void add_file_changes(Plan& plan, const Plan& old);

Json to_json(const Plan& plan);
// Strict: every member present, of its type and in its range, no member unknown.
Result<Plan> plan_from_json(const Json& json);
Result<Plan> parse_plan(std::string_view text);

}  // namespace servery
