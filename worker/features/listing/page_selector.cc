#include "worker/features/listing/page_selector.h"

#include <algorithm>

namespace servery::listing {

void PageSelector::add(const Entry& entry) {
  ++(entry.is_directory() ? counts_.directories : counts_.others);
  if (cursor_) {
    const int side = compare_to_place(order_, entry, cursor_->place);
    if (side <= 0 && !cursor_->backwards) ++counts_.before;
    if (cursor_->backwards ? side >= 0 : side <= 0) return;
  }
  ++candidates_;
  page_.add(entry);
  if (page_.size() >= 2 * limit_) cut();
  if (page_.name_bytes() >= 2 * kNameBytes) cut();
}

// With very long names the page gets shorter than asked for; the next page continues behind it.
void PageSelector::cut() {
  const auto before = [this](const Entry& a, const Entry& b) { return comes_before(order_, a, b); };
  const auto after = [this](const Entry& a, const Entry& b) { return comes_before(order_, b, a); };
  const auto keep = [&](std::size_t count) {
    if (is_backwards()) {
      page_.keep_least(count, after);
    } else {
      page_.keep_least(count, before);
    }
  };
  keep(limit_);
  while (page_.name_bytes() > kNameBytes) {
    limit_ = std::max<std::size_t>(1, page_.size() / 2);
    keep(limit_);
  }
}

void PageSelector::finish() {
  cut();
  page_.sort([this](const Entry& a, const Entry& b) { return comes_before(order_, a, b); });
  if (is_backwards()) counts_.before = candidates_ - page_.size();
}

}  // namespace servery::listing
