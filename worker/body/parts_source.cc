#include "worker/body/parts_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace servery::body {

PartsSource::PartsSource(http::MultipartRanges frame, RangeOpener open)
    : frame_(std::move(frame)), open_(std::move(open)), text_(frame_.text(0)) {}

PartsSource::Pull PartsSource::pull(std::span<char> into) {
  while (true) {
    if (given_ < text_.size()) return pull_text(into);
    if (index_ == frame_.parts().size()) return {State::kEnd, 0};
    if (!part_ && !open_part()) return {State::kError, 0};
    const Pull pulled = part_->pull(into);
    if (pulled.state != State::kEnd) return pulled;
    part_.reset();
    text_ = frame_.text(++index_);
    given_ = 0;
  }
}

PartsSource::Pull PartsSource::pull_text(std::span<char> into) {
  const std::size_t n = std::min(into.size(), text_.size() - given_);
  std::memcpy(into.data(), text_.data() + given_, n);
  given_ += n;
  return {State::kBytes, n};
}

bool PartsSource::open_part() {
  part_ = open_(frame_.parts()[index_]);
  if (part_) part_->set_waiter(waiter_);
  return static_cast<bool>(part_);
}

// The last pull gave text while no part is open, and else a part's bytes.
bool PartsSource::take_back(std::size_t bytes) {
  if (part_) return part_->take_back(bytes);
  given_ -= bytes;
  return true;
}

}  // namespace servery::body
