#include "worker/http/range.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "common/base/text.h"
#include "worker/http/syntax.h"

namespace servery::http {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Any number of digits; what does not fit is beyond every length.
std::uint64_t saturated(std::string_view digits) {
  const auto value = parse_unsigned<std::uint64_t>(digits);
  return value.value_or(std::numeric_limits<std::uint64_t>::max());
}

RangeChoice choose_suffix(std::string_view digits, std::uint64_t size) {
  if (!all_digits(digits)) return {};
  const std::uint64_t length = std::min(saturated(digits), size);
  if (length == 0) return {RangeChoice::Kind::kUnsatisfiable, 0, 0};
  return {RangeChoice::Kind::kPart, size - length, size - 1};
}

RangeChoice choose_spec(std::string_view spec, std::uint64_t size) {
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view first_text = spec.substr(0, dash);
  const std::string_view last_text = spec.substr(dash + 1);
  if (first_text.empty()) return choose_suffix(last_text, size);
  if (!all_digits(first_text) || (!last_text.empty() && !all_digits(last_text))) return {};
  const std::uint64_t first = saturated(first_text);
  const std::uint64_t last =
      last_text.empty() ? std::numeric_limits<std::uint64_t>::max() : saturated(last_text);
  if (last < first) return {};
  if (first >= size) return {RangeChoice::Kind::kUnsatisfiable, 0, 0};
  return {RangeChoice::Kind::kPart, first, std::min(last, size - 1)};
}

}  // namespace

RangeChoice choose_range(std::string_view value, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (size == 0) return {};
  if (!starts_with_ignore_case(value, kUnit)) return {};
  ListCursor specs(value.substr(kUnit.size()));
  std::string_view spec;
  std::string_view another;
  if (!specs.next(spec) || specs.next(another)) return {};
  return choose_spec(spec, size);
}

}  // namespace servery::http
