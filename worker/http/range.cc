#include "worker/http/range.h"

#include <algorithm>
#include <limits>

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

// A range-spec (RFC 9110 14.1.1) as what it selects.
struct Spec {
  enum class Kind : std::uint8_t { kMalformed, kUnsatisfiable, kPart };
  Kind kind = Kind::kMalformed;
  ByteRange part = {};
};

Spec suffix_spec(std::string_view digits, std::uint64_t size) {
  if (!all_digits(digits)) return {};
  const std::uint64_t length = std::min(saturated(digits), size);
  if (length == 0) return {Spec::Kind::kUnsatisfiable};
  return {Spec::Kind::kPart, {size - length, size - 1}};
}

Spec read_spec(std::string_view text, std::uint64_t size) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view first_text = text.substr(0, dash);
  const std::string_view last_text = text.substr(dash + 1);
  if (first_text.empty()) return suffix_spec(last_text, size);
  if (!all_digits(first_text) || (!last_text.empty() && !all_digits(last_text))) return {};
  const std::uint64_t first = saturated(first_text);
  const std::uint64_t last =
      last_text.empty() ? std::numeric_limits<std::uint64_t>::max() : saturated(last_text);
  if (last < first) return {};
  if (first >= size) return {Spec::Kind::kUnsatisfiable};
  return {Spec::Kind::kPart, {first, std::min(last, size - 1)}};
}

// `last` is below the size of a representation, so the sums do not wrap.
bool touches(const ByteRange& a, const ByteRange& b) {
  return a.first <= b.last + 1 && b.first <= a.last + 1;
}

// Joins `part` with every part that it overlaps or touches, where the first of them stands. So what
// is sent is never more than the representation (RFC 9110 14.2, 17.15).
void add_part(std::vector<ByteRange>& parts, const ByteRange& part) {
  const auto joins = [&part](const ByteRange& other) { return touches(other, part); };
  const auto place = std::find_if(parts.begin(), parts.end(), joins);
  if (place == parts.end()) {
    parts.push_back(part);
    return;
  }
  ByteRange joined = part;
  for (auto other = place; other != parts.end(); ++other) {
    if (!joins(*other)) continue;
    joined = {std::min(joined.first, other->first), std::max(joined.last, other->last)};
  }
  parts.erase(std::remove_if(place + 1, parts.end(), joins), parts.end());
  *place = joined;
}

}  // namespace

RangeChoice choose_range(std::string_view value, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (size == 0) return {};
  if (!starts_with_ignore_case(value, kUnit)) return {};
  ListCursor specs(value.substr(kUnit.size()));
  std::string_view text;
  std::size_t count = 0;
  RangeChoice choice;
  while (specs.next(text)) {
    const Spec spec = read_spec(text, size);
    if (spec.kind == Spec::Kind::kMalformed || ++count > kMostRanges) return {};
    if (spec.kind == Spec::Kind::kPart) add_part(choice.parts, spec.part);
  }
  if (count == 0) return {};
  choice.kind =
      choice.parts.empty() ? RangeChoice::Kind::kUnsatisfiable : RangeChoice::Kind::kParts;
  return choice;
}

RangeChoice requested_range(const RequestHead& request, const Validators& validators,
                            std::uint64_t size, std::int64_t now) {
  // Range is defined for GET only (RFC 9110 14.2); two Range fields are no field.
  if (request.method != Method::kGet || !request.fields.has(FieldId::kRange) ||
      request.fields.count(FieldId::kRange) != 1 ||
      !if_range_holds(request.fields, validators, now)) {
    return {};
  }
  return choose_range(request.fields.find(FieldId::kRange)->value, size);
}

std::string content_range(const ByteRange& part, std::uint64_t size) {
  std::string value = "bytes ";
  value.append(std::to_string(part.first)).append("-").append(std::to_string(part.last));
  return value.append("/").append(std::to_string(size));
}

std::string unsatisfied_range(std::uint64_t size) {
  std::string value = "bytes */";
  return value.append(std::to_string(size));
}

}  // namespace servery::http
