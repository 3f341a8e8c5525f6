// One listing under way: reads the directory slice by slice, then gives a page at once (short: the
// whole body and its entity tag) or piece by piece (long). Blocks: pool threads only, one call at a
// time; shared by the listing's task and its jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "worker/body/produced_source.h"
#include "worker/features/listing/listing_scan.h"
#include "worker/features/listing/listing_view.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::listing {

class ListingRun final : public body::Producer {
 public:
  enum class Step : std::uint8_t {
    kMore,      // call again
    kWhole,     // body() and etag() are there
    kStreamed,  // produce() gives the body
    kFailed,    // error()
  };

  // `root` outlives the run. `facts`: without counts.
  ListingRun(const files::Root& root, const files::RelativePath& path, bool shows_hidden,
             PageFacts facts);

  // The next slice of what must be known before the head is sent.
  Step advance();
  const Error& error() const { return error_; }
  const PageFacts& facts() const { return facts_; }
  // Of the whole page; of a streamed one where known.
  const Neighbours& neighbours() const { return neighbours_; }
  std::string& body() { return body_; }
  const std::string& etag() const { return etag_; }

  Outcome produce(std::string& into) override;

 private:
  Step fail_with(Error error);
  void begin_page(const std::optional<Cursor>& cursor);
  void on_first_page();
  Neighbours find_neighbours();
  void render_whole();
  bool begin_next_page();

  const files::Root& root_;
  files::RelativePath path_;
  bool shows_hidden_;
  PageFacts facts_;
  std::unique_ptr<ListingView> view_;
  std::optional<ListingScan> scan_;
  bool is_scanned_ = false;
  std::size_t left_;            // entries that may still be given
  std::size_t given_ = 0;       // of the scan's page
  std::optional<Place> first_;  // the first entry's
  bool has_head_ = false;
  Neighbours neighbours_;
  Error error_;
  std::string body_;
  std::string etag_;
};

}  // namespace servery::listing
