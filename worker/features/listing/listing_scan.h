// Reads a directory into page after page, a time slice at a call: names first, sizes and times only
// of what an order or a page needs. A child that cannot be looked at is listed without its facts.
// Blocks: pool threads only, one call at a time; owned by the listing under way.
#pragma once

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "worker/features/listing/page_selector.h"
#include "worker/files/relative_path.h"
#include "worker/files/resource.h"

namespace servery::listing {

class ListingScan {
 public:
  // `root` outlives the scan. kNotFound where `path` leads to no directory.
  static Result<ListingScan> create(const files::Root& root, const files::RelativePath& path,
                                    bool shows_hidden);

  // Starts to look for the page of `limit` entries at `cursor`.
  void begin(const Query& query, const std::optional<Cursor>& cursor, std::size_t limit);
  // Reads for at most a time slice. True when the directory has been read to its end; the page is
  // then sorted. An error ends the listing.
  Result<bool> read_slice();
  EntryList& page() { return selector_->page(); }
  const PageCounts& counts() const { return selector_->counts(); }
  // The name of the directory's README, empty without one. It must match the filter too.
  const std::string& readme() const { return readme_; }
  // The page's entry with its size and time, as far as they can be had.
  Entry look_at_entry(std::size_t i);

 private:
  struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  using Directory = std::unique_ptr<DIR, CloseDirectory>;

  ListingScan(const files::Root& root, const files::RelativePath& path, bool shows_hidden,
              Directory directory)
      : root_(&root), path_(path), shows_hidden_(shows_hidden), directory_(std::move(directory)) {}

  bool is_wanted(std::string_view name) const;
  void add(const dirent& child);
  void follow_link(Entry& entry);
  void look_at_child(Entry& entry);

  const files::Root* root_;
  files::RelativePath path_;  // of the directory
  bool shows_hidden_;
  bool needs_facts_ = false;
  std::string filter_;  // lower case
  std::string readme_;
  Directory directory_;
  std::optional<PageSelector> selector_;
};

}  // namespace servery::listing
