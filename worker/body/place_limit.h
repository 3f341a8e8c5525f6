// How many of something costly may be under way at once. Owned by a handler; worker thread only.
#pragma once

#include <memory>

namespace servery::body {

class PlaceLimit {
 public:
  explicit PlaceLimit(unsigned most) : most_(most), taken_(std::make_shared<unsigned>(0)) {}
  PlaceLimit(const PlaceLimit&) = delete;
  PlaceLimit& operator=(const PlaceLimit&) = delete;

  // A place, given back when the last copy goes; nullptr when all are taken.
  std::shared_ptr<const void> take() {
    if (*taken_ >= most_) return nullptr;
    ++*taken_;
    return {taken_.get(), [taken = taken_](const unsigned*) { --*taken; }};
  }
  unsigned taken() const { return *taken_; }

 private:
  unsigned most_;
  std::shared_ptr<unsigned> taken_;
};

}  // namespace servery::body
