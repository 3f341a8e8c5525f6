// Dotted keys with indices ("routes[0].static.root"), as --set and the environment name them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace servery {

bool is_name(std::string_view text);  // lower-case letters and '_'
// Of an entry that the author names: also digits and '-', after a letter; at most 64.
bool is_item_name(std::string_view text);
bool is_key_path(std::string_view key);  // NAME, NAME[N], joined by dots; auth.ITEM

// "routes[0].static.root" -> {"routes", 0, "static.root"}; nullopt without an index.
struct ListItem {
  std::string_view list;
  std::size_t index = 0;
  std::string_view rest;
};
std::optional<ListItem> first_item(std::string_view key);

// "auth.team.read" -> {"auth", "team", "read"}; nullopt outside the sections whose entries have
// names of the author's.
struct NamedItem {
  std::string_view section;
  std::string_view name;
  std::string_view rest;
};
std::optional<NamedItem> named_item(std::string_view key);

// "limits.connections" -> {"limits", "connections"}; {"", key} without a dot.
std::pair<std::string_view, std::string_view> split_last(std::string_view key);

// "SERVERY__ROUTES__0__PATH" -> "routes[0].path"; nullopt for other variables.
std::optional<std::string> key_from_variable(std::string_view name);

}  // namespace servery
