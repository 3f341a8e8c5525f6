// Streams waiting for the next active request, so that an idle connection holds none and a request
// allocates none. Owned by the TransportContext; worker thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace servery::transport {

class H1Protocol;
class H1Stream;
struct TransportContext;

class H1StreamPool {
 public:
  explicit H1StreamPool(TransportContext& context);
  ~H1StreamPool();

  H1Stream& acquire(H1Protocol& owner);
  // May be called from inside one of the stream's own functions.
  void release(H1Stream& stream);

 private:
  static constexpr std::size_t kMaxKept = 256;

  TransportContext& context_;
  std::vector<std::unique_ptr<H1Stream>> free_;
};

}  // namespace servery::transport
