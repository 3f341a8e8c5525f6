#include "worker/features/listing/listing_view.h"

namespace servery::listing {

std::unique_ptr<ListingView> make_view(const PageFacts& facts) {
  switch (facts.query.format) {
    case Format::kHtml:
      return make_html_view(facts);
    case Format::kJson:
      return make_json_view(facts);
    case Format::kNdjson:
      return make_ndjson_view(facts);
  }
  return make_html_view(facts);
}

std::string_view content_type(Format format) {
  switch (format) {
    case Format::kHtml:
      return "text/html; charset=utf-8";
    case Format::kJson:
      return "application/json";
    case Format::kNdjson:
      return "application/x-ndjson";
  }
  return "text/html; charset=utf-8";
}

std::string page_href(const Query& query, const Cursor& cursor) {
  Query target = query;
  target.cursor = cursor;
  return format_query(target);
}

}  // namespace servery::listing
