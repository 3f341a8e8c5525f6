// What a request asks of a listing: ?sort= name|size|time, order= asc|desc, q=, limit=, cursor=,
// format= html|json|ndjson; without `format` the Accept field decides (RFC 9110 12.5.1). Unknown
// keys are ignored, a bad value is refused. Pure; all of it is hostile input.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "worker/features/listing/listing_order.h"
#include "worker/http/message.h"

namespace servery::listing {

enum class Format : std::uint8_t { kHtml, kJson, kNdjson };

// The entries after (or before) a place.
struct Cursor {
  bool backwards = false;
  Place place;
};

struct Query {
  static constexpr std::size_t kPageSize = 500;  // of HTML, where none is asked for
  static constexpr std::size_t kMaxLimit = 100'000;

  Order order;
  std::string filter;     // as asked for
  std::size_t limit = 0;  // 0: kPageSize in HTML, else all
  std::optional<Cursor> cursor;
  Format format = Format::kHtml;
  bool names_format = false;  // by ?format=: links must carry it on
};

// `accept`: the field's value; empty: none was sent.
std::optional<http::Refusal> parse_query(std::string_view text, std::string_view accept,
                                         Query& query);
// "?sort=size&q=a": the text that parses to this query; "?" for an empty one.
std::string format_query(const Query& query);
// The format that an Accept value prefers; HTML when it does not care or names none of them.
Format choose_format(std::string_view accept);

// Opaque to clients: base64url over version, order, direction and place.
std::string encode_cursor(const Order& order, const Cursor& cursor);
// nullopt: not one of ours, or of another order.
std::optional<Cursor> decode_cursor(const Order& order, std::string_view text);

}  // namespace servery::listing
