#include "config/scalar.h"

#include <fmt/format.h>

#include <limits>

#include "common/base/text.h"

namespace servery {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first; the formatter takes the first that divides exactly.
constexpr Unit kDurationUnits[] = {{"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}};
constexpr Unit kSizeUnits[] = {
    {"TiB", 1ULL << 40}, {"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"", 1}};

// Digits in front, a unit behind.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  return {text.substr(0, digits), text.substr(digits)};
}

template <std::size_t kCount>
std::optional<std::uint64_t> parse_with_unit(std::string_view text, const Unit (&units)[kCount]) {
  if (text == "0") return 0;
  const auto [digits, name] = split_unit(text);
  const auto number = parse_integer(digits);
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    // Half the range, so that a duration fits its signed type.
    if (*number > std::numeric_limits<std::int64_t>::max() / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

template <std::size_t kCount>
std::string format_with_unit(std::uint64_t value, const Unit (&units)[kCount]) {
  if (value == 0) return "0";
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) return fmt::format("{}{}", value / unit.factor, unit.name);
  }
  return {};  // the last unit divides everything
}

std::string strip_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? "0" : std::string(digits.substr(first));
}

}  // namespace

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return parse_unsigned<std::uint64_t>(text);
}

std::optional<double> parse_decimal(std::string_view text) {
  constexpr std::size_t kMaxFraction = 9;
  const std::size_t point = text.find('.');
  const auto whole = parse_integer(text.substr(0, point));
  if (!whole) return std::nullopt;
  auto value = static_cast<double>(*whole);
  if (point == std::string_view::npos) return value;
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty() || fraction.size() > kMaxFraction) return std::nullopt;
  double scale = 1;
  double digits = 0;
  for (const char c : fraction) {
    if (!is_digit(c)) return std::nullopt;
    digits = digits * 10 + (c - '0');
    scale *= 10;
  }
  return value + digits / scale;
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto value = parse_with_unit(text, kDurationUnits);
  if (!value) return std::nullopt;
  return Duration(static_cast<Duration::rep>(*value));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  return parse_with_unit(text, kSizeUnits);
}

std::string format_decimal(double value) { return fmt::format("{}", value); }

std::string format_duration(Duration value) {
  return format_with_unit(static_cast<std::uint64_t>(value.count()), kDurationUnits);
}

std::string format_size(std::uint64_t value) { return format_with_unit(value, kSizeUnits); }

std::string suggest_duration(std::string_view text) {
  const auto [digits, name] = split_unit(text);
  if (digits.empty()) return {};
  const std::string number = strip_zeros(digits);
  const std::string unit = to_lower(trim_ows(name));
  if (unit.empty() || unit.starts_with("sec")) return number + "s";
  if (unit.starts_with("min")) return number + "m";
  if (unit.starts_with("hour")) return number + "h";
  if (unit == "d" || unit.starts_with("day")) {
    const auto days = parse_integer(number);
    return days && *days <= 3650 ? fmt::format("{}h", *days * 24) : std::string();
  }
  const std::string guess = number + unit;
  return guess != text && parse_duration(guess) ? guess : std::string();
}

std::string suggest_size(std::string_view text) {
  const auto [digits, name] = split_unit(text);
  if (digits.empty()) return {};
  const std::string number = strip_zeros(digits);
  const std::string unit = to_lower(trim_ows(name));
  for (const Unit& candidate : kSizeUnits) {
    if (candidate.name.empty() || unit.empty()) continue;
    const std::string known = to_lower(candidate.name);  // "kib" for k, kb, kib
    if (unit == known || unit == known.substr(0, 1) || unit == known.substr(0, 1) + "b") {
      return number + std::string(candidate.name);
    }
  }
  return unit.empty() || unit == "b" ? number : std::string();
}

std::string suggest_integer(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (is_digit(c)) {
      digits += c;
    } else if (c != '_' && c != '+' && c != ',') {
      return {};
    }
  }
  return digits.empty() ? std::string() : strip_zeros(digits);
}

}  // namespace servery
