#include "config/flag_overlay.h"

#include <fmt/format.h>

#include "common/base/json.h"
#include "config/address.h"
#include "config/text_check.h"

namespace servery {
namespace {

std::string quoted_yaml_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + quoted_yaml_text(item);
  return "[" + out + "]";
}

std::string listeners_yaml(const std::vector<std::string>& addresses) {
  std::string out;
  for (const std::string& address : addresses) {
    out += fmt::format("{}{{address: {}}}", out.empty() ? "" : ", ",
                       quoted_yaml_text(address_from_flag(address)));
  }
  return "[" + out + "]";
}

}  // namespace

Overlay overlay_of(const Row& row, const std::vector<std::string>& values) {
  std::string key(row.key);
  const std::size_t item = key.find("[]");
  if (item != std::string::npos) key.replace(item, 2, "[0]");
  std::string flag(row.flag);
  switch (row.type) {
    case Type::kAddress:
      return {std::move(flag), "listeners", listeners_yaml(values)};
    case Type::kNames:
      return {std::move(flag), std::move(key), quoted_yaml_list(values)};
    case Type::kPath:
      return {std::move(flag), std::move(key), quoted_yaml_text(values.front())};
    default:
      return {std::move(flag), std::move(key), values.front()};
  }
}

std::vector<Overlay> overlays_of_users(const std::vector<std::string>& lines) {
  constexpr const char* kFlag = "--auth";
  constexpr const char* kEntry = "login";
  return {{kFlag, fmt::format("auth.{}.basic.users", kEntry), quoted_yaml_list(lines)},
          {kFlag, "routes[0].auth", kEntry}};
}

bool is_repeatable(const Row& row) {
  return row.type == Type::kAddress || row.type == Type::kNames;
}

std::string quoted_yaml_text(const std::string& text) {
  return find_bad_text(text) ? text : dump_json(Json(text));
}

}  // namespace servery
