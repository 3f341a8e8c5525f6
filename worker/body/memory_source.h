// A response body that is in memory already: text made for this answer, or a part of bytes that
// something else keeps alive (a range of a cached file). Owned by its exchange; worker thread only.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "worker/http/body.h"

namespace servery::body {

class MemorySource final : public http::BodySource {
 public:
  explicit MemorySource(std::string text) : text_(std::move(text)), bytes_(text_) {}
  // `owner` keeps `bytes` alive.
  MemorySource(std::shared_ptr<const void> owner, std::string_view bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}
  MemorySource(const MemorySource&) = delete;  // bytes_ may point into text_
  MemorySource& operator=(const MemorySource&) = delete;

  void set_waiter(http::SourceWaiter*) override {}
  std::optional<std::uint64_t> length() const override { return bytes_.size(); }
  Pull pull(std::span<char> into) override {
    const std::size_t n = std::min(into.size(), bytes_.size() - offset_);
    if (n == 0) return {State::kEnd, 0};
    std::memcpy(into.data(), bytes_.data() + offset_, n);
    offset_ += n;
    return {State::kBytes, n};
  }
  bool take_back(std::size_t bytes) override {
    offset_ -= bytes;
    return true;
  }

 private:
  std::shared_ptr<const void> owner_;
  std::string text_;
  std::string_view bytes_;
  std::size_t offset_ = 0;
};

}  // namespace servery::body
