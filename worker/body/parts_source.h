// A multipart/byteranges body: the frame's texts with the parts of a representation between them,
// each part opened when its turn comes. Owned by its exchange; worker thread only.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "worker/http/body.h"
#include "worker/http/multipart_ranges.h"

namespace servery::body {

// A source of exactly these bytes; nullptr if there can be none. Called for one range after
// another.
using RangeOpener = std::function<std::unique_ptr<http::BodySource>(const http::ByteRange&)>;

class PartsSource final : public http::BodySource {
 public:
  PartsSource(http::MultipartRanges frame, RangeOpener open);

  void set_waiter(http::SourceWaiter* waiter) override { waiter_ = waiter; }
  std::optional<std::uint64_t> length() const override { return frame_.length(); }
  Pull pull(std::span<char> into) override;
  bool take_back(std::size_t bytes) override;

 private:
  Pull pull_text(std::span<char> into);
  bool open_part();

  http::MultipartRanges frame_;
  RangeOpener open_;
  http::SourceWaiter* waiter_ = nullptr;
  std::size_t index_ = 0;                   // of the part whose text or bytes are given
  std::string text_;                        // before that part
  std::size_t given_ = 0;                   // of `text_`
  std::unique_ptr<http::BodySource> part_;  // while its bytes are given
};

}  // namespace servery::body
