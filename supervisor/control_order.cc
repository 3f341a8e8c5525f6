#include "supervisor/control_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace servery {
namespace {

using Kind = ControlOrder::Kind;

constexpr std::uint64_t kMaxTimeoutMs = 86'400'000;

struct Command {
  std::string_view name;
  Kind kind;
};
constexpr std::array<Command, 4> kCommands{{{"status", Kind::kStatus},
                                            {"plan", Kind::kPlan},
                                            {"reload", Kind::kReload},
                                            {"stop", Kind::kStop}}};

bool has_config(Kind kind) { return kind == Kind::kPlan || kind == Kind::kReload; }

// False: the command has no such member, or not of that type or size.
bool take_member(ControlOrder& order, const std::string& name, const Json& value) {
  if (name == "command") return true;
  if (name == "config" && has_config(order.kind) && value.is_string()) {
    order.config = value.get<std::string>();
    return order.config.starts_with('/');
  }
  if (name == "wait_drained" && order.kind == Kind::kReload && value.is_boolean()) {
    order.wait_drained = value.get<bool>();
    return true;
  }
  if (name == "timeout_ms" && order.kind == Kind::kStop && value.is_number_unsigned()) {
    const auto milliseconds = value.get<std::uint64_t>();
    order.timeout = Milliseconds(std::min(milliseconds, kMaxTimeoutMs));
    return milliseconds <= kMaxTimeoutMs;
  }
  return false;
}

}  // namespace

Result<ControlOrder> parse_control_order(const Json& request) {
  const std::string name = request.at("command").get<std::string>();
  const auto* const command = std::find_if(kCommands.begin(), kCommands.end(),
                                           [&name](const Command& c) { return c.name == name; });
  if (command == kCommands.end()) return fail(Errc::kInvalid, "unknown command");
  ControlOrder order;
  order.kind = command->kind;
  for (const auto& [member, value] : request.items()) {
    if (take_member(order, member, value)) continue;
    return fail(Errc::kInvalid, fmt::format("{}: `{}` is not understood", name, member));
  }
  return order;
}

}  // namespace servery
