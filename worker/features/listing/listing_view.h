// A page of a listing as text, piece by piece: head, each entry, foot. HTML for people, JSON and
// NDJSON for programs; the same entries give the same bytes (the ETag is their hash). Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "worker/features/listing/listing_query.h"
#include "worker/features/listing/page_selector.h"

namespace servery::listing {

struct PageFacts {
  std::string url_path;         // decoded, begins and ends with '/'
  std::size_t prefix_size = 1;  // bytes of it that lead to the route's root
  Query query;
  PageCounts counts;
  std::uint64_t count = 0;      // entries on this page
  bool offers_archive = false;  // ?archive= works on this route
  bool wants_readme = false;    // below the first page of HTML
  std::string readme = {};      // that, as HTML; of this very server's making
};

// The cursors to the pages around.
struct Neighbours {
  std::optional<Cursor> previous;
  std::optional<Cursor> next;
};

class ListingView {
 public:
  virtual ~ListingView() = default;
  virtual void append_head(std::string& out) = 0;
  virtual void append_entry(std::string& out, const Entry& entry) = 0;
  virtual void append_foot(std::string& out, const Neighbours& neighbours) = 0;
};

// `facts` outlives the view.
std::unique_ptr<ListingView> make_html_view(const PageFacts& facts);
std::unique_ptr<ListingView> make_json_view(const PageFacts& facts);
std::unique_ptr<ListingView> make_ndjson_view(const PageFacts& facts);
std::unique_ptr<ListingView> make_view(const PageFacts& facts);  // by the query's format

std::string_view content_type(Format format);
// Of the HTML: nothing but its own style (by hash) may load or run.
std::string_view content_security_policy();

// The query of a page around this one, as a relative reference.
std::string page_href(const Query& query, const Cursor& cursor);

}  // namespace servery::listing
