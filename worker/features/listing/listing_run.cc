#include "worker/features/listing/listing_run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "common/base/content_hash.h"
#include "worker/features/listing/listing_readme.h"

namespace servery::listing {
namespace {

// Pages up to this size are made whole, with their length and entity tag.
constexpr std::size_t kWhole = 2000;
// A streamed listing reads the directory once for each this many entries, so that its memory does
// not grow with the directory.
constexpr std::size_t kScan = 65'536;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
constexpr std::chrono::milliseconds kSlice{10};

std::size_t limit_of(const Query& query) {
  if (query.limit != 0) return query.limit;
  return query.format == Format::kHtml ? Query::kPageSize : kNoLimit;
}

}  // namespace

ListingRun::ListingRun(const files::Root& root, const files::RelativePath& path, bool shows_hidden,
                       PageFacts facts)
    : root_(root),
      path_(path),
      shows_hidden_(shows_hidden),
      facts_(std::move(facts)),
      view_(make_view(facts_)),
      left_(limit_of(facts_.query)) {}

ListingRun::Step ListingRun::fail_with(Error error) {
  error_ = std::move(error);
  return Step::kFailed;
}

ListingRun::Step ListingRun::advance() {
  if (!scan_) {
    Result<ListingScan> scan = ListingScan::create(root_, path_, shows_hidden_);
    if (!scan) return fail_with(std::move(scan).error());
    scan_ = std::move(*scan);
    begin_page(facts_.query.cursor);
  }
  const Result<bool> is_scanned = scan_->read_slice();
  if (!is_scanned) return fail_with(is_scanned.error());
  if (!*is_scanned) return Step::kMore;
  on_first_page();
  if (facts_.count > kWhole) return Step::kStreamed;
  render_whole();
  return Step::kWhole;
}

// Backwards the last entries come first, so the page must be had at once.
void ListingRun::begin_page(const std::optional<Cursor>& cursor) {
  const bool is_backwards = cursor && cursor->backwards;
  const std::size_t most = is_backwards ? Query::kMaxLimit : kScan;
  left_ = is_backwards ? std::min(left_, most) : left_;
  scan_->begin(facts_.query, cursor, std::min(left_, most));
  is_scanned_ = false;
  given_ = 0;
}

void ListingRun::on_first_page() {
  is_scanned_ = true;
  facts_.counts = scan_->counts();
  const std::uint64_t behind = facts_.counts.total() - facts_.counts.before;
  const bool is_backwards = facts_.query.cursor && facts_.query.cursor->backwards;
  facts_.count = is_backwards ? scan_->page().size() : std::min<std::uint64_t>(left_, behind);
  if (facts_.wants_readme && facts_.counts.before == 0 && facts_.query.filter.empty()) {
    append_readme(facts_.readme, root_, path_, scan_->readme());
  }
  if (!scan_->page().empty()) first_ = place_of(facts_.query.order, scan_->page()[0]);
  if (facts_.count == scan_->page().size()) neighbours_ = find_neighbours();
}

Neighbours ListingRun::find_neighbours() {
  const PageCounts& counts = scan_->counts();
  const EntryList& page = scan_->page();
  Neighbours found;
  if (facts_.counts.before > 0) {
    found.previous = Cursor{true, first_ ? *first_ : facts_.query.cursor->place};
  }
  if (!page.empty() && counts.before + page.size() < counts.total()) {
    found.next = Cursor{false, place_of(facts_.query.order, page[page.size() - 1])};
  }
  return found;
}

void ListingRun::render_whole() {
  view_->append_head(body_);
  for (std::size_t i = 0; i < scan_->page().size(); ++i) {
    view_->append_entry(body_, scan_->look_at_entry(i));
  }
  view_->append_foot(body_, neighbours_);
  ContentHash hash;
  hash.add(body_);
  etag_ = '"' + hash.finish() + '"';
}

body::Producer::Outcome ListingRun::produce(std::string& into) {
  const auto end = std::chrono::steady_clock::now() + kSlice;
  if (!std::exchange(has_head_, true)) view_->append_head(into);
  while (into.size() < kPiece && std::chrono::steady_clock::now() < end) {
    if (!is_scanned_) {
      const Result<bool> is_scanned = scan_->read_slice();
      if (!is_scanned) return Outcome::kFailed;
      is_scanned_ = *is_scanned;
    } else if (given_ < scan_->page().size()) {
      view_->append_entry(into, scan_->look_at_entry(given_++));
    } else if (!begin_next_page()) {
      view_->append_foot(into, find_neighbours());
      return Outcome::kEnd;
    }
  }
  return Outcome::kMore;
}

// False when the page that has been given was the last.
bool ListingRun::begin_next_page() {
  const EntryList& page = scan_->page();
  const PageCounts& counts = scan_->counts();
  left_ -= page.size();
  if (left_ == 0 || page.empty() || counts.before + page.size() >= counts.total()) return false;
  if (facts_.query.cursor && facts_.query.cursor->backwards) return false;
  begin_page(Cursor{false, place_of(facts_.query.order, page[page.size() - 1])});
  return true;
}

}  // namespace servery::listing
