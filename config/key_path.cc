#include "config/key_path.h"

#include <algorithm>
#include <cstdint>

#include "common/base/text.h"
#include "config/scalar.h"

namespace servery {
namespace {

constexpr std::uint64_t kMaxIndex = 100'000;

bool is_segment(std::string_view segment) {
  const std::size_t open = segment.find('[');
  if (open == std::string_view::npos) return is_name(segment);
  if (!segment.ends_with(']') || !is_name(segment.substr(0, open))) return false;
  const auto index = parse_integer(segment.substr(open + 1, segment.size() - open - 2));
  return index && *index <= kMaxIndex;
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

bool is_item_name(std::string_view text) {
  constexpr std::size_t kMaxSize = 64;
  return !text.empty() && text.size() <= kMaxSize && text.front() >= 'a' && text.front() <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '-';
         });
}

std::optional<NamedItem> named_item(std::string_view key) {
  constexpr std::string_view kSection = "auth";
  if (!key.starts_with(kSection) || key.size() <= kSection.size() || key[kSection.size()] != '.') {
    return std::nullopt;
  }
  const std::string_view behind = key.substr(kSection.size() + 1);
  const std::size_t end = std::min(behind.find('.'), behind.size());
  return NamedItem{kSection, behind.substr(0, end),
                   behind.substr(std::min(end + 1, behind.size()))};
}

bool is_key_path(std::string_view key) {
  if (const auto item = named_item(key)) {
    if (!is_item_name(item->name)) return false;
    if (item->rest.empty()) return !key.ends_with('.');
    key = item->rest;
  }
  while (true) {
    const std::size_t dot = key.find('.');
    if (!is_segment(key.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    key.remove_prefix(dot + 1);
  }
}

std::optional<ListItem> first_item(std::string_view key) {
  const std::size_t open = key.find('[');
  const std::size_t close = key.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  const auto index = parse_integer(key.substr(open + 1, close - open - 1));
  if (!index) return std::nullopt;
  std::string_view rest = key.substr(close + 1);
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return ListItem{key.substr(0, open), static_cast<std::size_t>(*index), rest};
}

std::pair<std::string_view, std::string_view> split_last(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

std::optional<std::string> key_from_variable(std::string_view name) {
  constexpr std::string_view kPrefix = "SERVERY__";
  constexpr std::string_view kSeparator = "__";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::string key;
  while (true) {
    const std::size_t end = name.find(kSeparator);
    const std::string_view part = name.substr(0, end);
    const bool index = !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
    if (index) {
      key += "[" + std::string(part) + "]";
    } else {
      key += (key.empty() ? "" : ".") + to_lower(part);
    }
    if (end == std::string_view::npos) return key;
    name.remove_prefix(end + kSeparator.size());
  }
}

}  // namespace servery
