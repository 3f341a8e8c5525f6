#include "worker/features/listing/listing_query.h"

#include <algorithm>
#include <array>

#include "common/base/text.h"
#include "worker/http/query.h"
#include "worker/http/syntax.h"

namespace servery::listing {
namespace {

constexpr std::size_t kMaxFilter = 255;
constexpr http::Refusal kBadQuery{400, "listing_query"};
constexpr http::Refusal kBadCursor{400, "listing_cursor"};

constexpr std::array<std::string_view, 3> kSorts = {"name", "size", "time"};
constexpr std::array<std::string_view, 2> kOrders = {"asc", "desc"};
constexpr std::array<std::string_view, 3> kFormats = {"html", "json", "ndjson"};
constexpr std::array<std::string_view, 6> kKeys = {"sort",  "order", "format",
                                                   "limit", "q",     "cursor"};

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names,
                                    std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// False for a bad value. The cursor needs the whole order, so it is only remembered here.
bool apply_pair(std::string_view key, const std::string& value, Query& query, std::string& cursor) {
  if (key == "sort") {
    const auto sort = index_of(kSorts, value);
    if (sort) query.order.sort = static_cast<Sort>(*sort);
    return sort.has_value();
  }
  if (key == "order") {
    const auto order = index_of(kOrders, value);
    query.order.descending = order == 1U;
    return order.has_value();
  }
  if (key == "format") {
    const auto format = index_of(kFormats, value);
    if (format) query.format = static_cast<Format>(*format);
    query.names_format = true;
    return format.has_value();
  }
  if (key == "limit") {
    const auto limit = parse_unsigned<std::size_t>(value);
    query.limit = limit.value_or(0);
    return limit && *limit >= 1 && *limit <= Query::kMaxLimit;
  }
  if (key == "q") {
    query.filter = value;
    return value.size() <= kMaxFilter;
  }
  if (key == "cursor") cursor = value;
  return true;
}

// qvalue in thousandths (RFC 9110 12.4.2); nullopt for a malformed one.
std::optional<int> parse_quality(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int value = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int scale = 100;
  for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (!is_digit(c)) return std::nullopt;
    value += (c - '0') * scale;
    scale /= 10;
  }
  return value <= 1000 ? std::optional(value) : std::nullopt;
}

struct MediaRange {
  std::string_view type;
  int quality = 1000;
};

MediaRange parse_media_range(std::string_view member) {
  const std::size_t semicolon = member.find(';');
  MediaRange range{trim_ows(member.substr(0, semicolon))};
  while (semicolon != std::string_view::npos) {
    member.remove_prefix(member.find(';') + 1);
    const std::size_t next = member.find(';');
    const std::string_view parameter = trim_ows(member.substr(0, next));
    if (starts_with_ignore_case(parameter, "q=")) {
      range.quality = parse_quality(parameter.substr(2)).value_or(0);
    }
    if (next == std::string_view::npos) break;
  }
  return range;
}

// How closely a range names the type: 3 wholly, 2 its main type, 1 anything, 0 not.
int specificity(std::string_view range, std::string_view type) {
  if (equals_ignore_case(range, type)) return 3;
  if (range == "*/*") return 1;
  return range.ends_with("/*") && starts_with_ignore_case(type, range.substr(0, range.size() - 1))
             ? 2
             : 0;
}

int quality_of(std::string_view accept, std::string_view type) {
  int best = 0;
  int quality = 0;
  http::ListCursor cursor(accept);
  for (std::string_view member; cursor.next(member);) {
    const MediaRange range = parse_media_range(member);
    const int closeness = specificity(range.type, type);
    if (closeness <= best) continue;
    best = closeness;
    quality = range.quality;
  }
  return quality;
}

void append_pair(std::string& text, std::string_view key, std::string_view value) {
  if (text.size() > 1) text += '&';
  text.append(key).append("=").append(value);
}

}  // namespace

Format choose_format(std::string_view accept) {
  if (accept.empty()) return Format::kHtml;
  const int html = quality_of(accept, "text/html");
  const int json = quality_of(accept, "application/json");
  const int ndjson = std::max(quality_of(accept, "application/x-ndjson"),
                              quality_of(accept, "application/ndjson"));
  if (html >= json && html >= ndjson) return Format::kHtml;
  return json >= ndjson ? Format::kJson : Format::kNdjson;
}

std::optional<http::Refusal> parse_query(std::string_view text, std::string_view accept,
                                         Query& query) {
  query.format = choose_format(accept);
  std::string cursor;
  http::QueryCursor pairs(text);
  for (std::string_view key, text_value; pairs.next(key, text_value);) {
    if (!index_of(kKeys, key)) continue;
    const auto value = http::decode_query_value(text_value);
    if (!value || !apply_pair(key, *value, query, cursor)) return kBadQuery;
  }
  if (cursor.empty()) return std::nullopt;
  query.cursor = decode_cursor(query.order, cursor);
  if (!query.cursor) return kBadCursor;
  return std::nullopt;
}

std::string format_query(const Query& query) {
  std::string text = "?";
  if (query.names_format) {
    append_pair(text, "format", kFormats[static_cast<std::size_t>(query.format)]);
  }
  if (query.order.sort != Sort::kName) {
    append_pair(text, "sort", kSorts[static_cast<std::size_t>(query.order.sort)]);
  }
  if (query.order.descending) append_pair(text, "order", kOrders[1]);
  if (!query.filter.empty()) append_pair(text, "q", percent_encode_path(query.filter));
  if (query.limit != 0) append_pair(text, "limit", std::to_string(query.limit));
  if (query.cursor) append_pair(text, "cursor", encode_cursor(query.order, *query.cursor));
  return text;
}

}  // namespace servery::listing
