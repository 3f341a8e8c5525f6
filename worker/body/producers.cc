#include "worker/body/producers.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace servery::body {

Producer::Outcome MemoryProducer::produce(std::string& into) {
  const std::string_view piece = left_.substr(0, kPiece);
  into.append(piece);
  left_.remove_prefix(piece.size());
  return left_.empty() ? Outcome::kEnd : Outcome::kMore;
}

Producer::Outcome FileProducer::produce(std::string& into) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, left_));
  const std::size_t before = into.size();
  into.resize(before + size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::pread(file_->get(), into.data() + before + done, size - done,
                              static_cast<off_t>(offset_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Outcome::kFailed;
    done += static_cast<std::size_t>(n);
  }
  offset_ += size;
  left_ -= size;
  return left_ == 0 ? Outcome::kEnd : Outcome::kMore;
}

}  // namespace servery::body
