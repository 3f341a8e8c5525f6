#include "worker/access/verifier.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/credentials/password_hash.h"

namespace servery::access {

// What the thread works on; it may outlive the flight.
struct Verifier::Check {
  Credentials credentials;
  std::string hash;
  bool is_right = false;
};

struct Verifier::Flight {
  Digest digest{};
  std::string client;
  const Realm& realm;
  std::optional<std::uint32_t> user;
  std::shared_ptr<Check> check;
  std::vector<Waiter*> waiters;
  BlockingPool::Job job;
};

// The task of an exchange that waits.
class Verifier::Waiter final : public http::ExchangeTask {
 public:
  Waiter(Verifier& verifier, http::Exchange& asking, Flight& joined, Listener& told)
      : exchange(asking), listener(told), flight(&joined), verifier_(verifier) {}
  ~Waiter() override {
    if (flight != nullptr) verifier_.leave(*this);
  }

  http::Exchange& exchange;
  Listener& listener;
  Flight* flight;  // null once it has ended

 private:
  Verifier& verifier_;
};

Verifier::Verifier(Loop& loop) : loop_(loop), throttle_(key_) {}

Verifier::~Verifier() = default;

Result<std::unique_ptr<Verifier>> Verifier::create(Loop& loop) {
  std::unique_ptr<Verifier> verifier(new Verifier(loop));
  BlockingPool::Options options;
  options.threads = 1;
  options.queue = kQueue;
  verifier->pool_ = SERVERY_TRY(BlockingPool::create(loop, options));
  return verifier;
}

Digest Verifier::digest_of(const Realm& realm, const Credentials& credentials) const {
  return key_.of({realm.name(), credentials.text});
}

std::optional<std::uint32_t> Verifier::find(const Digest& digest) const {
  return verified_.find(digest, loop_.now());
}

Verifier::Begun Verifier::begin(http::Exchange& exchange, const Realm& realm, const Digest& digest,
                                Credentials credentials, Listener& listener) {
  const std::string_view client = exchange.client_address();
  const auto same = std::find_if(flights_.begin(), flights_.end(), [&](const auto& flight) {
    return flight->digest == digest && flight->client == client;
  });
  if (same != flights_.end()) {
    wait(exchange, **same, listener);
    return Begun::kWaiting;
  }
  const Begun begun = start(exchange, realm, digest, std::move(credentials));
  if (begun == Begun::kWaiting) wait(exchange, *flights_.back(), listener);
  return begun;
}

Verifier::Begun Verifier::start(http::Exchange& exchange, const Realm& realm, const Digest& digest,
                                Credentials credentials) {
  const std::string_view client = exchange.client_address();
  const FailureThrottle::Answer counted = throttle_.count(client, loop_.now());
  if (counted != FailureThrottle::Answer::kGo) {
    ++counts_.throttled;
    if (counted == FailureThrottle::Answer::kFirstRefused) {
      log::warning("auth_throttled", {{"client", client}, {"auth", realm.name()}});
    }
    return Begun::kThrottled;
  }
  const auto user = realm.find(credentials.user());
  // An unknown name stands for the same hash each time it is asked for.
  const std::string hash = realm.hash(user, key_.of({credentials.user()})[0]);
  auto check = std::make_shared<Check>(Check{std::move(credentials), hash, false});
  auto flight =
      std::make_unique<Flight>(Flight{digest, std::string(client), realm, user, check, {}, {}});
  auto job = pool_->run(
      Lane::kPath,
      [check] { check->is_right = verify_password(check->hash, check->credentials.password()); },
      [this, made = flight.get()] { finish(*made); });
  if (!job) {
    throttle_.give_back(client);
    ++counts_.busy;
    return Begun::kBusy;
  }
  flight->job = std::move(*job);
  flights_.push_back(std::move(flight));
  return Begun::kWaiting;
}

void Verifier::wait(http::Exchange& exchange, Flight& flight, Listener& listener) {
  auto waiter = std::make_unique<Waiter>(*this, exchange, flight, listener);
  flight.waiters.push_back(waiter.get());
  exchange.set_task(std::move(waiter));
}

// A check that nobody waits for any more gives its place in the queue away. It stays counted.
void Verifier::leave(Waiter& waiter) {
  Flight& flight = *waiter.flight;
  std::erase(flight.waiters, &waiter);
  if (flight.waiters.empty()) take(flight);
}

std::unique_ptr<Verifier::Flight> Verifier::take(const Flight& flight) {
  const auto place = std::find_if(flights_.begin(), flights_.end(),
                                  [&](const auto& entry) { return entry.get() == &flight; });
  std::unique_ptr<Flight> taken = std::move(*place);
  flights_.erase(place);
  return taken;
}

void Verifier::finish(Flight& flight) {
  const std::unique_ptr<Flight> ended = take(flight);
  const bool is_right = ended->check->is_right && ended->user;
  note_result(*ended, is_right);
  while (!ended->waiters.empty()) {
    Waiter& waiter = *ended->waiters.back();
    ended->waiters.pop_back();
    waiter.flight = nullptr;
    waiter.listener.on_checked(waiter.exchange, is_right);  // ends the waiter
  }
}

void Verifier::note_result(const Flight& flight, bool is_right) {
  if (is_right) {
    ++counts_.right;
    throttle_.give_back(flight.client);
    verified_.insert(flight.digest, *flight.user, loop_.now());
    return;
  }
  ++counts_.wrong;
  // A name that is no user's may be a password in the wrong box: it is not written down.
  log::warning("auth_failed",
               {{"client", flight.client.empty() ? "local" : flight.client},
                {"auth", flight.realm.name()},
                {"user", flight.user ? flight.check->credentials.user() : "unknown"}});
}

}  // namespace servery::access
