// Codes response bodies while they are served: whole representations once for all who want them,
// long or generated ones piece by piece. Threads and queue of its own, so that coding never delays
// file work. One per worker; worker thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/coder.h"
#include "worker/body/flights.h"
#include "worker/body/place_limit.h"
#include "worker/body/produced_source.h"
#include "worker/http/exchange.h"

namespace servery::body {

// Of an answer that finds no room where `refuses_saturated`.
inline constexpr http::Refusal kCodingSaturated{503, "compression_saturated"};

struct CodedBytes {
  bool is_complete = false;
  std::string bytes;
  std::shared_ptr<const void> made;  // what the first of those who waited made of `bytes`
};

class ContentCoder {
 public:
  struct Options {
    unsigned threads = 1;
    std::size_t queue = 64;
    CodingLevels levels{};
    std::uint64_t min_size = 0;      // smaller representations stay as they are
    std::uint64_t max_input = 0;     // larger ones are coded piece by piece
    bool refuses_saturated = false;  // else what cannot be coded is given plain
  };
  struct Counts {
    std::uint64_t encoded = 0;    // representations coded whole
    std::uint64_t joined = 0;     // answers that waited for the coding of another
    std::uint64_t streamed = 0;   // bodies coded piece by piece
    std::uint64_t saturated = 0;  // answers given plain or refused for want of room
    std::size_t in_flight = 0;
  };
  // Gives the plain bytes, on a pool thread; false: they cannot be had as they were.
  using Read = std::function<bool(std::string& into)>;
  using Done = std::function<void(CodedBytes& coded)>;

  static Result<std::unique_ptr<ContentCoder>> create(Loop& loop, const Options& options);
  ContentCoder(const ContentCoder&) = delete;
  ContentCoder& operator=(const ContentCoder&) = delete;

  const Options& options() const { return options_; }
  // For the entity tag of what is coded here.
  const std::string& mark(http::Coding coding) const {
    return marks_[static_cast<std::size_t>(coding)];
  }
  // Codes a representation once for all who ask with the same key (the first one's `read` is used).
  // False: no room; the exchange is not touched then.
  bool code_whole(http::Exchange& exchange, const std::string& key, http::Coding coding, Read read,
                  Done done);

  // Whether stream() has a place.
  bool has_place();
  // A generated or long body, coded. Null: out of memory.
  std::unique_ptr<http::BodySource> stream(std::shared_ptr<Producer> plain, http::Coding coding);

  Counts counts() const;

 private:
  ContentCoder(Loop& loop, const Options& options, std::unique_ptr<BlockingPool> pool);

  Loop& loop_;
  Options options_;
  std::array<std::string, http::kCodingCount> marks_;
  std::unique_ptr<BlockingPool> pool_;
  Flights<CodedBytes> flights_;
  PlaceLimit streams_;
  std::uint64_t streamed_ = 0;
  std::uint64_t saturated_ = 0;
};

}  // namespace servery::body
