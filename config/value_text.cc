#include "config/value_text.h"

#include <fmt/format.h>

#include <concepts>

#include "common/base/json.h"
#include "common/base/text.h"
#include "config/scalar.h"

namespace servery {
namespace {

std::uint64_t load_integer(const Field& field) {
  return std::visit(
      [](auto* place) -> std::uint64_t {
        using T = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::unsigned_integral<T>) return *place;
        return 0;
      },
      field);
}

std::string load_choice(const Row& row, const Field& field) {
  return std::visit(
      [&row](auto* place) -> std::string {
        using T = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::is_enum_v<T>) {
          return std::string(split_choices(row.choices)[static_cast<std::size_t>(*place)]);
        }
        if constexpr (std::is_same_v<T, std::string>) return *place;
        return {};
      },
      field);
}

std::string write_list(const TextList& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + quote_yaml(item);
  return "[" + out + "]";
}

std::string write_pairs(const HeaderPairs& pairs) {
  std::string out;
  for (const auto& [name, value] : pairs) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quote_yaml(name), quote_yaml(value));
  }
  return "{" + out + "}";
}

std::string write_text(const Row& row, Target& target) {
  return quote_yaml(*std::get<std::string*>(row.field(target)));
}

std::string write_grantees(const Grantees& grant) {
  switch (grant.kind) {
    case Grantees::Kind::kDefault:
      return {};
    case Grantees::Kind::kAnyone:
      return "anyone";
    case Grantees::Kind::kUsers:
      return "users";
    case Grantees::Kind::kNamed:
      break;
  }
  return write_list(grant.names);
}

// The names alone: a hash is half a password.
std::string write_user_lines(const TextList& lines) {
  TextList shown;
  for (const std::string& line : lines) shown.push_back(line.substr(0, line.find(':')) + ":***");
  return shown.empty() ? std::string() : write_list(shown);
}

std::string write_mode(const std::optional<std::uint32_t>& mode) {
  return mode ? fmt::format("\"{:04o}\"", *mode) : std::string();
}

std::string write_revalidate(const Revalidate& value) {
  if (value.mode == Revalidate::Mode::kInterval) return format_duration(value.interval);
  return value.mode == Revalidate::Mode::kTurn ? "turn" : "request";
}

std::string format_bound(const Row& row, double bound) {
  if (row.type == Type::kDuration || row.type == Type::kRevalidate) {
    return format_duration(Duration(static_cast<Duration::rep>(bound)));
  }
  if (row.type == Type::kSize) return format_size(static_cast<std::uint64_t>(bound));
  return fmt::format("{:.0f}", bound);
}

}  // namespace

bool looks_typed(std::string_view text) {
  static constexpr std::string_view kWords[] = {"true", "false", "null", "~", ".inf", ".nan"};
  if (text.empty()) return true;
  for (const std::string_view word : kWords) {
    if (equals_ignore_case(text, word)) return true;
  }
  const std::size_t first = text.find_first_not_of("+-");
  if (first == std::string_view::npos || !is_digit(text[first])) return false;
  return text.find_first_not_of("0123456789.eExXabcdefABCDEF+-_") == std::string_view::npos;
}

std::string write_value(const Row& row, Target& target) {
  const Field field = row.field(target);
  switch (row.type) {
    case Type::kInteger:
      return std::to_string(load_integer(field));
    case Type::kWorkers:
      return load_integer(field) == 0 ? "auto" : std::to_string(load_integer(field));
    case Type::kNumber:
      return format_decimal(*std::get<double*>(field));
    case Type::kDuration:
      return format_duration(*std::get<Duration*>(field));
    case Type::kSize:
      return format_size(load_integer(field));
    case Type::kBoolean:
      return *std::get<bool*>(field) ? "true" : "false";
    case Type::kChoice:
      return load_choice(row, field);
    case Type::kMode:
      return write_mode(*std::get<std::optional<std::uint32_t>*>(field));
    case Type::kHosts:
    case Type::kNames:
    case Type::kHeaderNames:
    case Type::kFieldNames:
    case Type::kOrigins:
    case Type::kMediaRanges:
    case Type::kAddresses:
      return write_list(*std::get<TextList*>(field));
    case Type::kHeaderMap:
    case Type::kPatternMap:
    case Type::kTypeMap:
    case Type::kErrorPages:
      return write_pairs(*std::get<HeaderPairs*>(field));
    case Type::kMethods: {
      const MethodSet& methods = *std::get<MethodSet*>(field);
      return methods.any ? "any" : write_list(methods.names);
    }
    case Type::kGrantees:
      return write_grantees(*std::get<Grantees*>(field));
    case Type::kUserLines:
      return write_user_lines(*std::get<TextList*>(field));
    case Type::kRoutePath: {
      const RouteSettings& route = *std::get<RouteSettings*>(field);
      return quote_yaml((route.exact ? "=" : "") + route.path);
    }
    case Type::kRevalidate:
      return write_revalidate(*std::get<Revalidate*>(field));
    case Type::kList:
      return "[]";
    default:
      return write_text(row, target);
  }
}

std::string quote_yaml(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  const bool plain = text.find_first_not_of(kPlain) == std::string_view::npos;
  if (plain && !looks_typed(text) && text.front() != '-') return std::string(text);
  return dump_json(Json(std::string(text)));
}

std::string describe_bounds(const Row& row) {
  if (!row.choices.empty()) {
    std::string out;
    const auto names = split_choices(row.choices);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
      out += names[i];
    }
    return out;
  }
  return format_bound(row, row.minimum) + " to " + format_bound(row, row.maximum);
}

}  // namespace servery
