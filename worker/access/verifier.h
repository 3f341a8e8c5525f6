// Checks passwords off the loop, in a lane of one thread with a bounded queue, and remembers which
// credentials were right. Equal checks of one client share one hash. One per worker, shared by its
// routes; worker thread only.
//
//   begin() -> kWaiting -> Listener::on_checked(), unless the client leaves first
//           -> kThrottled, kBusy: no hash is made
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/loop.h"
#include "worker/access/basic_credentials.h"
#include "worker/access/failure_throttle.h"
#include "worker/access/keyed_digest.h"
#include "worker/access/realm.h"
#include "worker/access/verified_cache.h"
#include "worker/http/exchange.h"

namespace servery::access {

class Verifier {
 public:
  enum class Begun : std::uint8_t { kWaiting, kThrottled, kBusy };
  struct Counts {
    std::uint64_t right = 0;
    std::uint64_t wrong = 0;
    std::uint64_t throttled = 0;
    std::uint64_t busy = 0;  // no place in the queue
  };
  // Who hears how a check of `exchange` ended. After `is_right`, find() knows the credentials.
  class Listener {
   public:
    virtual void on_checked(http::Exchange& exchange, bool is_right) = 0;

   protected:
    ~Listener() = default;
  };

  static Result<std::unique_ptr<Verifier>> create(Loop& loop);
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;
  ~Verifier();

  // Stands for credentials in a realm.
  Digest digest_of(const Realm& realm, const Credentials& credentials) const;
  // The user whose credentials these are, if they were found right a short while ago.
  std::optional<std::uint32_t> find(const Digest& digest) const;
  // Sets a task on the exchange where it answers kWaiting. `realm` and `listener` outlive that.
  Begun begin(http::Exchange& exchange, const Realm& realm, const Digest& digest,
              Credentials credentials, Listener& listener);
  const Counts& counts() const { return counts_; }

 private:
  static constexpr std::size_t kQueue = 32;  // checks waiting for the thread

  struct Check;
  struct Flight;
  class Waiter;

  explicit Verifier(Loop& loop);
  Begun start(http::Exchange& exchange, const Realm& realm, const Digest& digest,
              Credentials credentials);
  void wait(http::Exchange& exchange, Flight& flight, Listener& listener);
  void leave(Waiter& waiter);
  void finish(Flight& flight);
  void note_result(const Flight& flight, bool is_right);
  std::unique_ptr<Flight> take(const Flight& flight);

  Loop& loop_;
  KeyedDigest key_;
  VerifiedCache verified_;
  FailureThrottle throttle_;
  Counts counts_;
  std::vector<std::unique_ptr<Flight>> flights_;  // at most kQueue and the one that is checked
  std::unique_ptr<BlockingPool> pool_;            // its jobs belong to flights
};

}  // namespace servery::access
