#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "common/base/text.h"
#include "common/credentials/htpasswd.h"
#include "config/address.h"
#include "config/scalar.h"
#include "config/syntax.h"
#include "config/value_text.h"

namespace servery {
namespace {

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "nothing";
    case Node::Kind::kScalar:
      return "a single value";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMap:
      return "a section";
  }
  return "";
}

// Stores an integer that is known to fit.
void store_integer(const Field& field, std::uint64_t value) {
  std::visit(
      [value](auto* place) {
        using T = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::unsigned_integral<T>) *place = static_cast<T>(value);
      },
      field);
}

// An enum field is the index of its name in the row's choices; a text field the name itself.
void store_choice(const Field& field, std::size_t index, std::string_view name) {
  std::visit(
      [index, name](auto* place) {
        using T = std::remove_pointer_t<decltype(place)>;
        if constexpr (std::is_enum_v<T>) *place = static_cast<T>(index);
        if constexpr (std::is_same_v<T, std::string>) *place = name;
      },
      field);
}

class ValueReader {
 public:
  ValueReader(const Row& row, Target& target, std::string_view base)
      : row_(row), target_(target), base_(base) {}

  std::vector<ValueFault> read(const Node& node) {
    switch (row_.type) {
      case Type::kHosts:
      case Type::kNames:
      case Type::kHeaderNames:
      case Type::kFieldNames:
      case Type::kOrigins:
      case Type::kMediaRanges:
      case Type::kAddresses:
        read_list(node);
        break;
      case Type::kHeaderMap:
      case Type::kPatternMap:
      case Type::kTypeMap:
      case Type::kErrorPages:
        read_pairs(node);
        break;
      case Type::kMethods:
        read_methods(node);
        break;
      case Type::kGrantees:
        read_grantees(node);
        break;
      case Type::kUserLines:
        read_user_lines(node);
        break;
      default:
        if (is_scalar(node)) read_scalar(node);
    }
    return std::move(faults_);
  }

 private:
  void fault(const Node& node, std::string reason, std::string message,
             std::string suggestion = {}) {
    if (suggestion == node.text) suggestion.clear();
    faults_.push_back(
        {node.position, std::move(reason), std::move(message), std::move(suggestion)});
  }

  bool check(const Node& node, const SyntaxCheck& result) {
    if (result) fault(node, "invalid_value", result->message, result->suggestion);
    return !result;
  }

  bool is_scalar(const Node& node) {
    if (node.kind == Node::Kind::kScalar) return true;
    fault(node, "wrong_type",
          fmt::format("a single value is expected, not {}", kind_name(node.kind)));
    return false;
  }

  bool is_kind(const Node& node, Node::Kind kind) {
    if (node.kind == kind) return true;
    fault(node, "wrong_type",
          fmt::format("{} is expected, not {}", kind_name(kind), kind_name(node.kind)));
    return false;
  }

  bool is_text(const Node& node) {
    if (!is_scalar(node)) return false;
    if (!node.quoted && looks_typed(node.text)) {
      fault(node, "wrong_type", "text is expected; quote it", fmt::format("\"{}\"", node.text));
      return false;
    }
    return true;
  }

  bool in_range(const Node& node, double value) {
    if (value >= row_.minimum && value <= row_.maximum) return true;
    fault(node, "out_of_range", "must be " + describe_bounds(row_));
    return false;
  }

  bool fits_length(const Node& node, std::size_t length, std::string_view what) {
    if (static_cast<double>(length) > row_.maximum) {
      fault(node, "too_long", fmt::format("at most {:.0f} {}", row_.maximum, what));
      return false;
    }
    if (static_cast<double>(length) < row_.minimum) {
      fault(node, "empty_value", "must not be empty");
      return false;
    }
    return true;
  }

  void read_scalar(const Node& node) {
    switch (row_.type) {
      case Type::kInteger:
        return read_integer(node);
      case Type::kNumber:
        return read_number(node);
      case Type::kDuration:
        return read_duration(node, *std::get<Duration*>(row_.field(target_)));
      case Type::kSize:
        return read_size(node);
      case Type::kBoolean:
        return read_boolean(node);
      case Type::kChoice:
        return read_choice(node);
      case Type::kWorkers:
        return read_workers(node);
      case Type::kMode:
        return read_mode(node);
      case Type::kAddress:
        return read_address(node);
      case Type::kRoutePath:
        return read_route_path(node);
      case Type::kRevalidate:
        return read_revalidate(node);
      default:
        return read_text(node);
    }
  }

  void read_integer(const Node& node) {
    const auto value = node.quoted ? std::nullopt : parse_integer(node.text);
    if (!value) {
      return fault(node, "wrong_type", "a decimal number is expected", suggest_integer(node.text));
    }
    if (!in_range(node, static_cast<double>(*value))) return;
    if (!row_.choices.empty() && choice_index(node.text) == std::nullopt) {
      return fault(node, "unknown_value", "must be " + describe_bounds(row_));
    }
    store_integer(row_.field(target_), *value);
  }

  void read_number(const Node& node) {
    const auto value = node.quoted ? std::nullopt : parse_decimal(node.text);
    if (!value) return fault(node, "wrong_type", "a decimal number such as 0.25 is expected");
    if (in_range(node, *value)) *std::get<double*>(row_.field(target_)) = *value;
  }

  void read_duration(const Node& node, Duration& place) {
    const auto value = parse_duration(node.text);
    if (!value) {
      return fault(node, "wrong_type", "a duration such as 250ms, 30s, 5m or 1h is expected",
                   suggest_duration(node.text));
    }
    if (in_range(node, static_cast<double>(value->count()))) place = *value;
  }

  void read_size(const Node& node) {
    const auto value = parse_size(node.text);
    if (!value) {
      return fault(node, "wrong_type", "a size such as 64KiB, 10MiB or 1GiB is expected",
                   suggest_size(node.text));
    }
    if (in_range(node, static_cast<double>(*value))) store_integer(row_.field(target_), *value);
  }

  std::optional<std::size_t> choice_index(std::string_view name) const {
    const auto names = split_choices(row_.choices);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  }

  void read_boolean(const Node& node) {
    const bool value = node.text == "true";
    if (!node.quoted && (value || node.text == "false")) {
      *std::get<bool*>(row_.field(target_)) = value;
      return;
    }
    fault(node, "wrong_type", "`true` or `false` is expected");
  }

  void read_choice(const Node& node) {
    const auto index = choice_index(node.text);
    if (index) return store_choice(row_.field(target_), *index, node.text);
    fault(node, "unknown_value", "must be " + describe_bounds(row_),
          std::string(nearest_name(node.text, split_choices(row_.choices)).value_or("")));
  }

  void read_workers(const Node& node) {
    if (node.text == "auto") return store_integer(row_.field(target_), 0);
    const auto value = node.quoted ? std::nullopt : parse_integer(node.text);
    if (!value) {
      const auto near = nearest_name(node.text, {"auto"});
      return fault(node, "wrong_type", "`auto` or a decimal number is expected",
                   near ? std::string(*near) : suggest_integer(node.text));
    }
    if (in_range(node, static_cast<double>(*value))) store_integer(row_.field(target_), *value);
  }

  void read_mode(const Node& node) {
    const bool octal = node.quoted && node.text.size() == 4 && node.text.front() == '0' &&
                       node.text.find_first_not_of("01234567") == std::string::npos;
    if (!octal) {
      return fault(node, "invalid_value", "a quoted octal number of four digits is expected",
                   "\"0660\"");
    }
    std::uint32_t value = 0;
    for (const char c : node.text) value = value * 8 + static_cast<std::uint32_t>(c - '0');
    *std::get<std::optional<std::uint32_t>*>(row_.field(target_)) = value;
  }

  void read_address(const Node& node) {
    std::string text = node.text;
    constexpr std::string_view kUnix = "unix:";
    if (text.starts_with(kUnix) && text.size() > kUnix.size() && text[kUnix.size()] != '@') {
      const std::string_view path = std::string_view(text).substr(kUnix.size());
      const bool directory = path.back() == '/';
      text = std::string(kUnix) + absolute_path(path, base_) + (directory ? "/" : "");
    }
    if (!fits_length(node, text.size(), "bytes")) return;
    if (!check(node, parse_address(text).fault)) return;
    *std::get<std::string*>(row_.field(target_)) = std::move(text);
  }

  void read_route_path(const Node& node) {
    const bool exact = node.text.starts_with('=');
    const std::string path = node.text.substr(exact ? 1 : 0);
    if (!fits_length(node, path.size(), "bytes")) return;
    if (!check(node, check_route_path(path, exact))) return;
    RouteSettings& route = *std::get<RouteSettings*>(row_.field(target_));
    route.path = path;
    route.exact = exact;
  }

  void read_revalidate(const Node& node) {
    Revalidate& place = *std::get<Revalidate*>(row_.field(target_));
    if (node.text == "turn" || node.text == "request") {
      place = {node.text == "turn" ? Revalidate::Mode::kTurn : Revalidate::Mode::kRequest, {}};
      return;
    }
    if (!parse_duration(node.text)) {
      const auto near = nearest_name(node.text, {"turn", "request"});
      return fault(node, "unknown_value", "must be turn, request or a duration such as 1s",
                   near ? std::string(*near) : suggest_duration(node.text));
    }
    Duration interval{0};
    read_duration(node, interval);
    if (interval.count() > 0) place = {Revalidate::Mode::kInterval, interval};
  }

  // Text of some form: stored as it is, host names in lower case, paths made absolute.
  void read_text(const Node& node) {
    if (!is_text(node)) return;
    std::string text = node.text;
    if (!fits_length(node, text.size(), "bytes")) return;
    if (row_.type == Type::kPath && !text.empty()) text = absolute_path(text, base_);
    if (row_.type == Type::kHost || row_.type == Type::kHostPattern) text = to_lower(text);
    if (!text.empty() && !check(node, check_form(text))) return;
    *std::get<std::string*>(row_.field(target_)) = std::move(text);
  }

  SyntaxCheck check_form(std::string_view text) const {
    switch (row_.type) {
      case Type::kHost:
        return check_host(text);
      case Type::kHostPattern:
        return check_host_pattern(text);
      case Type::kHosts:
        return text == "*" ? std::nullopt : check_host_pattern(text);
      case Type::kNames:
        return check_file_name(text);
      case Type::kHeaderNames:
        return check_header_name(text);
      case Type::kFieldNames:
        return is_token(text) ? std::nullopt : SyntaxCheck({"not a field name", ""});
      case Type::kOrigins:
        return text == "*" ? std::nullopt : check_origin(text);
      case Type::kMediaRanges:
        return check_media_range(text);
      case Type::kAddresses:
        return check_addresses_entry(text);
      case Type::kHeaderValue:
        return check_header_value(text);
      case Type::kRedirectTo:
        return check_redirect_to(text);
      case Type::kRealm:
        return check_realm(text);
      default:
        return std::nullopt;
    }
  }

  bool items_in_bounds(const Node& node) {
    if (!is_kind(node, Node::Kind::kSequence)) return false;
    return fits_length(node, node.items.size(), "items");
  }

  void read_list(const Node& node) {
    if (!items_in_bounds(node)) return;
    TextList items;
    for (const Node& item : node.items) {
      // 10.0.0.1 is nothing else, quoted or not.
      if (row_.type == Type::kAddresses ? !is_scalar(item) : !is_text(item)) continue;
      std::string text = row_.type == Type::kHosts || row_.type == Type::kOrigins
                             ? to_lower(item.text)
                             : item.text;
      if (!check(item, check_form(text))) continue;
      if (std::find(items.begin(), items.end(), text) != items.end()) {
        fault(item, "duplicate_value", "the value is there twice");
        continue;
      }
      items.push_back(std::move(text));
    }
    if (faults_.empty()) *std::get<TextList*>(row_.field(target_)) = std::move(items);
  }

  SyntaxCheck check_pair_name(std::string_view name) const {
    if (row_.type == Type::kHeaderMap) return check_header_name(name);
    if (row_.type == Type::kErrorPages) return check_error_status(name);
    return row_.type == Type::kTypeMap ? check_extension(name) : check_path_pattern(name);
  }

  SyntaxCheck check_pair_value(std::string_view value) const {
    if (row_.type == Type::kErrorPages) return check_path(value);
    return row_.type == Type::kTypeMap ? check_media_type(value) : check_header_value(value);
  }

  void read_pairs(const Node& node) {
    if (!is_kind(node, Node::Kind::kMap)) return;
    if (!fits_length(node, node.entries.size(), "fields")) return;
    HeaderPairs pairs;
    for (const Entry& entry : node.entries) {
      if (const SyntaxCheck name = check_pair_name(entry.key)) {
        faults_.push_back({entry.position, "invalid_value", name->message, name->suggestion});
      }
      if (!is_text(entry.value)) continue;
      if (!check(entry.value, check_pair_value(entry.value.text))) continue;
      pairs.emplace_back(entry.key, row_.type == Type::kErrorPages
                                        ? absolute_path(entry.value.text, base_)
                                        : entry.value.text);
    }
    if (faults_.empty()) *std::get<HeaderPairs*>(row_.field(target_)) = std::move(pairs);
  }

  void read_grantees(const Node& node) {
    Grantees& place = *std::get<Grantees*>(row_.field(target_));
    if (node.kind == Node::Kind::kScalar) {
      if (node.text == "anyone") {
        place = {Grantees::Kind::kAnyone, {}};
      } else if (node.text == "users") {
        place = {Grantees::Kind::kUsers, {}};
      } else {
        fault(node, "unknown_value", "must be anyone, users or a list of user names",
              std::string(nearest_name(node.text, {"anyone", "users"})
                              .value_or("[" + node.text.substr(0, kMaxShown) + "]")));
      }
      return;
    }
    if (!items_in_bounds(node)) return;
    Grantees named{Grantees::Kind::kNamed, {}};
    for (const Node& item : node.items) {
      if (!is_text(item)) continue;
      if (const auto wrong = check_user_name(item.text)) fault(item, "invalid_value", *wrong);
      named.names.push_back(item.text);
    }
    if (faults_.empty()) place = std::move(named);
  }

  void read_user_lines(const Node& node) {
    if (!items_in_bounds(node)) return;
    TextList lines;
    for (const Node& item : node.items) {
      if (!is_text(item)) continue;
      const Htpasswd read = parse_htpasswd(item.text);
      if (!read.faults.empty() || read.users.size() != 1) {
        fault(item, "invalid_value",
              read.faults.empty() ? "one USER:HASH is expected" : read.faults.front().message);
        continue;
      }
      lines.push_back(read.users.front().name + ":" + read.users.front().hash);
    }
    if (faults_.empty()) *std::get<TextList*>(row_.field(target_)) = std::move(lines);
  }

  void read_methods(const Node& node) {
    MethodSet& place = *std::get<MethodSet*>(row_.field(target_));
    if (node.kind == Node::Kind::kScalar && node.text == "any") {
      place = {true, {}};
      return;
    }
    if (node.kind != Node::Kind::kSequence) {
      return fault(node, "wrong_type", "`any` or a list of methods is expected",
                   node.kind == Node::Kind::kScalar ? fmt::format("[{}]", node.text) : "");
    }
    if (!fits_length(node, node.items.size(), "methods")) return;
    if (node.items.empty()) return fault(node, "empty_value", "must not be empty");
    TextList names;
    for (const Node& item : node.items) {
      if (!is_text(item) || !check(item, check_method(item.text))) continue;
      if (std::find(names.begin(), names.end(), item.text) != names.end()) {
        fault(item, "duplicate_value", "the value is there twice");
        continue;
      }
      names.push_back(item.text);
    }
    if (faults_.empty()) place = {false, std::move(names)};
  }

  static constexpr std::size_t kMaxShown = 64;

  const Row& row_;
  Target& target_;
  std::string_view base_;
  std::vector<ValueFault> faults_;
};

}  // namespace

std::vector<ValueFault> read_value(const Row& row, const Node& node, Target& target,
                                   std::string_view base) {
  return ValueReader(row, target, base).read(node);
}

std::string absolute_path(std::string_view path, std::string_view base) {
  std::string joined(path.starts_with('/') ? "" : base);
  joined += '/';
  joined += path;
  std::string out;
  std::string_view rest = joined;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view segment = rest.substr(0, slash);
    if (!segment.empty() && segment != ".") out += "/" + std::string(segment);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return out.empty() ? "/" : out;
}

}  // namespace servery
