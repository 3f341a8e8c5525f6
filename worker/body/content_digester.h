// Digests of what is served: computed once for all who ask meanwhile, kept for those who ask later.
// A thread and a queue of its own, so that hashing delays neither file work nor coding. One per
// worker; worker thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "common/base/result.h"
#include "common/crypto/digest.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/body/flights.h"
#include "worker/body/produced_source.h"
#include "worker/http/exchange.h"

namespace servery::body {

class ContentDigester {
 public:
  struct Counts {
    std::uint64_t computed = 0;
    std::uint64_t joined = 0;     // answers that waited for the digest of another
    std::uint64_t reused = 0;     // answers from what is kept
    std::uint64_t saturated = 0;  // answers without a digest for want of room
    std::size_t in_flight = 0;
    std::size_t kept = 0;
  };
  // What is hashed. `key` tells these bytes from all others; two inputs with one key are the same.
  struct Input {
    std::string key;
    std::shared_ptr<Producer> bytes;
    // On the pool, after the last byte: whether `key` still stands for them. Null: nothing is kept.
    std::function<bool()> may_keep;
  };
  using Done = std::function<void(const std::string& digest)>;  // raw; empty: could not be read

  static Result<std::unique_ptr<ContentDigester>> create(Loop& loop);
  ContentDigester(const ContentDigester&) = delete;
  ContentDigester& operator=(const ContentDigester&) = delete;

  // The kept digest, or null. Valid until the next call.
  const std::string* find(Digest::Algorithm algorithm, const std::string& key);
  // `done` in a later turn, unless the exchange ends before. False: no room; nothing was done.
  bool compute(http::Exchange& exchange, Digest::Algorithm algorithm, Input input, Done done);

  Counts counts() const;

 private:
  struct Outcome {
    std::string digest;
    bool may_keep = false;
  };
  struct Kept {
    std::string key;
    std::string digest;
  };

  explicit ContentDigester(std::unique_ptr<BlockingPool> pool);
  void keep(const std::string& key, const std::string& digest);

  std::unique_ptr<BlockingPool> pool_;
  Flights<Outcome> flights_;
  std::list<Kept> kept_;  // the last used first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> index_;
  std::uint64_t reused_ = 0;
  std::uint64_t saturated_ = 0;
};

}  // namespace servery::body
