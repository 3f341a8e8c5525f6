// HTTP/1 request heads: parser and request rules. First byte: limits; second: where the input is
// split. The answer must not depend on the split, and what is accepted must keep the promises of
// RequestHead.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "worker/codec/h1_parser.h"
#include "worker/http/request_rules.h"
#include "worker/http/syntax.h"

namespace {

using servery::codec::H1HeadParser;
namespace http = servery::http;

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_inside(std::string_view view, std::string_view whole) {
  return view.empty() ||
         (view.data() >= whole.data() && view.data() + view.size() <= whole.data() + whole.size());
}

void check_path(const http::RequestHead& head) {
  if (head.path == "*") {
    require(head.method == http::Method::kOptions);
    return;
  }
  require(head.path.starts_with('/'));
  require(head.path.find('\0') == std::string_view::npos);
  require(head.path.find("//") == std::string_view::npos);
  const std::string bounded = std::string(head.path) + "/";
  require(bounded.find("/./") == std::string::npos && bounded.find("/../") == std::string::npos);
}

void check_head(const http::RequestHead& head, std::string_view buffer) {
  check_path(head);
  require(head.query.find_first_of("\r\n ") == std::string_view::npos);
  require(std::none_of(head.host.begin(), head.host.end(),
                       [](char c) { return c >= 'A' && c <= 'Z'; }));
  for (const http::FieldView& field : head.fields) {
    require(is_inside(field.name, buffer) && is_inside(field.value, buffer));
    require(http::is_token(field.name) && http::is_field_value(field.value));
    require(field.id == http::field_id(field.name));
  }
  const bool is_chunked = head.fields.has(http::FieldId::kTransferEncoding);
  require(is_chunked == (head.framing == http::BodyFraming::kChunked));
  require(!is_chunked || !head.fields.has(http::FieldId::kContentLength));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const http::HeadLimits limits{.header_bytes = 16U + data[0] * 8U, .header_count = data[0] / 8U};
  std::string whole(reinterpret_cast<const char*>(data) + 2, size - 2);
  std::string split = whole;
  http::RawHead raw;
  http::RawHead split_raw;
  H1HeadParser split_parser(limits);
  auto later = split_parser.parse(
      std::span(split).first(std::min<std::size_t>(data[1], split.size())), split_raw);
  if (later.state == H1HeadParser::State::kNeedMore) later = split_parser.parse(split, split_raw);
  H1HeadParser parser(limits);
  const auto at_once = parser.parse(whole, raw);
  require(at_once.state == later.state && at_once.consumed == later.consumed);
  require(at_once.refusal.status == later.refusal.status);
  require(at_once.refusal.reason == later.refusal.reason);
  if (at_once.state != H1HeadParser::State::kHead) return 0;
  require(at_once.consumed <= whole.size() && raw.fields.size() <= limits.header_count);
  http::RequestHead head;
  std::string scratch;
  if (const auto refusal = http::finish_request_head(raw, head, scratch)) {
    require(refusal->status >= 400 && !refusal->reason.empty());
    return 0;
  }
  check_head(head, whole);
  return 0;
}
