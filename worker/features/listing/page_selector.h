// Chooses one page from the entries of a directory as they are read, in any order: memory for at
// most twice the page, however large the directory. Pure; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "worker/features/listing/listing_entry.h"
#include "worker/features/listing/listing_query.h"

namespace servery::listing {

// Of everything that was added.
struct PageCounts {
  std::uint64_t directories = 0;
  std::uint64_t others = 0;
  std::uint64_t before = 0;  // how many come before the page
  std::uint64_t total() const { return directories + others; }
};

class PageSelector {
 public:
  PageSelector(const Order& order, const std::optional<Cursor>& cursor, std::size_t limit)
      : order_(order), cursor_(cursor), limit_(limit) {}

  void add(const Entry& entry);
  // The last call: sorts the page.
  void finish();

  EntryList& page() { return page_; }
  const PageCounts& counts() const { return counts_; }

 private:
  // Names are at most this many bytes when the page is cut again.
  static constexpr std::size_t kNameBytes = std::size_t{8} * 1024 * 1024;

  bool is_backwards() const { return cursor_ && cursor_->backwards; }
  void cut();

  Order order_;
  std::optional<Cursor> cursor_;
  std::size_t limit_;
  std::uint64_t candidates_ = 0;  // on the cursor's side
  EntryList page_;
  PageCounts counts_;
};

}  // namespace servery::listing
