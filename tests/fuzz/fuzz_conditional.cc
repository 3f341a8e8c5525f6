// The If-* ladder and HTTP dates. First byte: method, existence, validators; then one field a line,
// its first character choosing which.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "worker/http/conditional.h"
#include "worker/http/date.h"

namespace {

namespace http = servery::http;
using http::FieldId;

constexpr std::int64_t kNow = 1'700'000'000;

void require(bool holds) {
  if (!holds) std::abort();
}

http::RequestFields fields_of(std::string_view text) {
  constexpr FieldId kIds[] = {FieldId::kIfMatch, FieldId::kIfNoneMatch, FieldId::kIfModifiedSince,
                              FieldId::kIfUnmodifiedSince, FieldId::kIfRange};
  http::RequestFields fields;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) {
      const FieldId id = kIds[static_cast<unsigned char>(line.front()) % 5];
      fields.add({id, http::field_name(id), line.substr(1)});
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return fields;
}

// A date that is taken prints as one that is taken for the same time.
void check_date(std::string_view text) {
  const auto when = http::parse_http_date(text, kNow);
  constexpr std::int64_t kLast = 253'402'300'799;  // what four digits of a year can print
  if (!when || *when < 0 || *when > kLast) return;
  char out[http::kHttpDateSize];
  http::format_http_date(*when, out);
  require(http::parse_http_date({out, sizeof out}, kNow) == when);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_date(text);
  const http::RequestFields fields = fields_of(text);
  const bool is_get = (data[0] & 1) != 0;
  const bool exists = (data[0] & 2) != 0;
  http::Validators validators;
  validators.etag = (data[0] & 4) != 0 ? "\"a,b\"" : "W/\"x\"";
  validators.last_modified = 784'111'777;
  validators.last_modified_is_strong = (data[0] & 8) != 0;
  const auto outcome = http::evaluate_preconditions(fields, is_get, exists, validators, kNow);
  require(outcome != http::Precondition::kNotModified || (is_get && exists));
  require(outcome == http::Precondition::kProceed || http::has_preconditions(fields));
  const bool holds = http::if_range_holds(fields, validators, kNow);
  require(!holds || !fields.has(FieldId::kIfRange) || fields.count(FieldId::kIfRange) == 1);
  return 0;
}
