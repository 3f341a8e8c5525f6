#include "worker/worker.h"

#include <sys/random.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "common/base/cidr.h"
#include "common/base/fast_hash.h"
#include "common/base/log.h"
#include "common/loop/blocking_pool.h"
#include "common/loop/timer.h"
#include "config/cpu_count.h"
#include "worker/access/client_address.h"
#include "worker/access/verifier.h"
#include "worker/body/content_coder.h"
#include "worker/body/content_digester.h"
#include "worker/build_routes.h"
#include "worker/files/hot_cache.h"
#include "worker/routing/pipeline.h"
#include "worker/transport/acceptor.h"
#include "worker/transport/connections.h"
#include "worker/transport/context.h"
#include "worker/transport/hand_over.h"
#include "worker/turn_clock.h"

namespace servery {
namespace {

constexpr Milliseconds kPublishInterval{250};

// `bytes`: the service's.
files::HotCache::Limits cache_limits(const Settings& settings, std::uint64_t bytes) {
  const std::uint32_t configured = settings.runtime.workers;
  const std::uint64_t workers = configured != 0 ? configured : usable_cpus(affinity_cpus());
  files::HotCache::Limits limits;
  limits.bytes = bytes / workers;
  limits.entries = std::max<std::uint64_t>(1, settings.cache.entries / workers);
  limits.proof.interval = settings.cache.revalidate.interval;
  switch (settings.cache.revalidate.mode) {
    case Revalidate::Mode::kTurn:
      limits.proof.mode = files::ProofPolicy::Mode::kTurn;
      break;
    case Revalidate::Mode::kRequest:
      limits.proof.mode = files::ProofPolicy::Mode::kRequest;
      break;
    case Revalidate::Mode::kInterval:
      limits.proof.mode = files::ProofPolicy::Mode::kInterval;
      break;
  }
  return limits;
}

bool codes_content(const Settings& settings) {
  return std::any_of(settings.routes.begin(), settings.routes.end(), [](const auto& route) {
    const auto* const files = std::get_if<StaticSettings>(&route.handler);
    return files != nullptr && files->compress;
  });
}

bool digests_content(const Settings& settings) {
  return std::any_of(settings.routes.begin(), settings.routes.end(), [](const auto& route) {
    const auto* const files = std::get_if<StaticSettings>(&route.handler);
    return files != nullptr && (files->digests || files->etag == "content");
  });
}

body::ContentCoder::Options coder_options(const CompressionSettings& settings) {
  const CodingLevelSettings& levels = settings.levels;
  return {.threads = settings.threads,
          .queue = settings.queue,
          .levels = {0, static_cast<int>(levels.zstd), static_cast<int>(levels.br),
                     static_cast<int>(levels.gzip)},
          .min_size = settings.min_size,
          .max_input = settings.max_input,
          .refuses_saturated = settings.saturated == "refuse"};
}

transport::TransportLimits transport_limits(const LimitSettings& limits) {
  transport::TransportLimits result;
  result.head.header_bytes = limits.header_bytes;
  result.head.header_count = limits.header_count;
  result.requests_per_connection = limits.requests_per_connection;
  result.header_timeout = limits.header_timeout;
  result.body_timeout = limits.body_timeout;
  result.write_timeout = limits.write_timeout;
  result.keepalive_timeout = limits.keepalive_timeout;
  return result;
}

// Somewhere within +-`jitter` of `limit`, so that workers do not reach it together.
std::uint64_t jittered(std::uint64_t limit, double jitter) {
  std::uint32_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) return limit;
  const double share = static_cast<double>(random) / 4294967296.0 * 2 - 1;
  const double value = static_cast<double>(limit) * (1 + share * jitter);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(value));
}

}  // namespace

class Worker::Impl final : private transport::ConnectionBudget,
                           private transport::AcceptorEvents,
                           private transport::HandOverSink,
                           private http::RequestTarget,
                           private http::ExchangeObserver,
                           private TurnHook {
 public:
  Impl(Loop& loop, WorkerInputs inputs, WorkerEvents& events);
  ~Impl() override;
  Status build();

  void serve(std::vector<ListenSocket> sockets);
  void leave(const std::string& listener, unsigned slot, Milliseconds limit);
  void drain(SteadyTime deadline, bool hand_over);
  void take_over(std::vector<HandedConnection> batch);
  OpenWork open_work() const;
  transport::Acceptor& acceptor() { return acceptor_; }
  transport::HandOver& hand_over() { return hand_over_; }

 private:
  bool try_open(bool forced) override;
  void close() override;
  void on_socket_empty(const std::string& listener, unsigned slot, std::uint32_t leftover) override;
  void on_hand_over(std::vector<HandedConnection> batch) override;
  void run(http::Exchange& exchange) override;
  void on_exchange_done(const http::Exchange& exchange) override;
  void on_turn_end() override;

  Status build_proxies();
  std::shared_ptr<const AddressSet> proxies_of(const std::string& listener) const;
  void count_refusal(std::string_view reason);
  void want_recycling(std::string_view reason);
  void publish();
  // Runs `event` on the loop, unless this worker is gone by then.
  void post(std::function<void()> event);

  // In the order of their making: what stands below uses what stands above, and dies first.
  Loop& loop_;
  WorkerInputs inputs_;
  WorkerEvents& events_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  transport::MetricWords metrics_;
  TurnClock clock_;
  ErrorPageContents error_pages_;
  http::HeaderPolicy headers_;
  files::HotCache cache_;
  files::HotCache coded_files_;
  std::unique_ptr<access::Verifier> verifier_;             // null: no route asks for a password
  std::unique_ptr<access::ClientAddress> client_address_;  // null: no proxy is trusted
  std::map<std::string, std::shared_ptr<const AddressSet>> proxies_;  // by the listener's address
  std::unique_ptr<routing::Pipeline> pipeline_;
  std::unique_ptr<BlockingPool> pool_;
  std::unique_ptr<body::ContentCoder> coder_;
  std::unique_ptr<body::ContentDigester> digester_;
  transport::TransportContext context_;
  transport::Connections connections_;
  transport::Acceptor acceptor_;
  transport::HandOver hand_over_;
  Timer deadline_;
  Timer age_;
  std::uint64_t requests_ = 0;
  std::uint64_t recycle_at_ = 0;  // requests; 0: never
  SteadyTime published_{};
  bool recycling_ = false;
  bool drained_ = false;
};

Worker::Impl::Impl(Loop& loop, WorkerInputs inputs, WorkerEvents& events)
    : loop_(loop),
      inputs_(std::move(inputs)),
      events_(events),
      metrics_(inputs_.page->counters),
      clock_(loop),
      error_pages_(std::move(inputs_.files.error_pages)),
      headers_(server_headers(inputs_.settings, error_pages_)),
      cache_(cache_limits(inputs_.settings, inputs_.settings.cache.bytes)),
      coded_files_(cache_limits(inputs_.settings, inputs_.settings.compression.cache)),
      context_(loop, clock_, transport_limits(inputs_.settings.limits), *this, *this, headers_,
               metrics_),
      connections_(context_, *this),
      acceptor_(context_, connections_, *this),
      hand_over_(context_, *this, acceptor_.names()),
      deadline_(loop, [this] { connections_.cut_all(); }),
      age_(loop, [this] { want_recycling("max_age"); }) {
  connections_.set_drain_listener(hand_over_);
  loop_.add_turn_hook(*this);
}

Worker::Impl::~Impl() {
  *alive_ = false;
  loop_.remove_turn_hook(*this);
}

Status Worker::Impl::build() {
  const Settings& settings = inputs_.settings;
  BlockingPool::Options options;
  options.threads = settings.pool.threads;
  options.queue = settings.pool.queue;
  pool_ = SERVERY_TRY(BlockingPool::create(loop_, options));
  if (codes_content(settings)) {  // its threads are for nothing else
    coder_ = SERVERY_TRY(body::ContentCoder::create(loop_, coder_options(settings.compression)));
  }
  if (digests_content(settings)) {
    digester_ = SERVERY_TRY(body::ContentDigester::create(loop_));
  }
  if (!settings.auth.empty()) verifier_ = SERVERY_TRY(access::Verifier::create(loop_));
  BuiltRoutes routes = SERVERY_TRY(build_routes(
      settings, inputs_.roots, {inputs_.files.passwords, error_pages_, verifier_.get()},
      {loop_, *pool_, cache_, clock_, coder_.get(), &coded_files_, digester_.get()}));
  metrics_.set(Metric::kWithoutOpenat2, routes.offers.openat2 ? 0 : 1);
  metrics_.set(Metric::kWithoutResolveCached, routes.offers.cached ? 0 : 1);
  pipeline_ = SERVERY_TRY(routing::Pipeline::create(std::move(routes.parts)));
  inputs_.roots.clear();
  inputs_.files.passwords.clear();
  SERVERY_TRY(build_proxies());
  const RecycleSettings& recycle = settings.runtime.recycle;
  if (recycle.max_requests > 0) recycle_at_ = jittered(recycle.max_requests, recycle.jitter);
  if (recycle.max_age.count() > 0) {
    const auto age = static_cast<std::uint64_t>(recycle.max_age.count());
    age_.start_once(Milliseconds(jittered(age, recycle.jitter)));
  }
  return {};
}

Status Worker::Impl::build_proxies() {
  const Settings& settings = inputs_.settings;
  if (!settings.trusted_proxies.empty()) {
    AddressSet trusted = SERVERY_TRY(AddressSet::parse(settings.trusted_proxies));
    client_address_ = std::make_unique<access::ClientAddress>(std::move(trusted));
  }
  for (const ListenerSettings& listener : settings.listeners) {
    if (listener.proxy_protocol.empty()) continue;
    proxies_[listener.address] =
        std::make_shared<const AddressSet>(SERVERY_TRY(AddressSet::parse(listener.proxy_protocol)));
  }
  return {};
}

std::shared_ptr<const AddressSet> Worker::Impl::proxies_of(const std::string& listener) const {
  const auto found = proxies_.find(listener);
  return found == proxies_.end() ? nullptr : found->second;
}

void Worker::Impl::serve(std::vector<ListenSocket> sockets) {
  for (ListenSocket& socket : sockets) {
    const std::string name = socket.listener;
    socket.proxies = proxies_of(socket.configured);
    if (const Status added = acceptor_.add(std::move(socket)); !added) {
      log::error("listener_failed", {{"listener", name}, {"error", added.error().text}});
    }
  }
}

void Worker::Impl::leave(const std::string& listener, unsigned slot, Milliseconds limit) {
  if (acceptor_.leave(listener, slot, limit)) return;
  // Never polled here, so nothing of it is ours to empty.
  post([this, listener, slot] { events_.on_socket_empty(listener, slot, 0); });
}

void Worker::Impl::drain(SteadyTime deadline, bool hand_over) {
  acceptor_.remove_all_but_leaving();
  context_.drain = hand_over ? transport::Drain::kHandOver : transport::Drain::kAtOnce;
  if (!hand_over) hand_over_.cancel();
  age_.stop();
  const auto left = std::chrono::ceil<Milliseconds>(deadline - loop_.now());
  deadline_.start_once(std::max(left, Milliseconds{0}));
  connections_.drain();
}

void Worker::Impl::take_over(std::vector<HandedConnection> batch) {
  for (HandedConnection& handed : batch) {
    metrics_.add(Metric::kHandoverReceived);
    transport::Connection* connection = connections_.open(
        handed.fd, {handed.peer, handed.peer_port}, acceptor_.number_of(handed.listener),
        transport::Connection::Start::kHttp, handed.requests, true);
    connection->begin_idle();
  }
}

OpenWork Worker::Impl::open_work() const {
  const transport::ConnectionCounts counts = connections_.counts();
  return {counts.idle, counts.response, counts.request, counts.handler};
}

bool Worker::Impl::try_open(bool forced) {
  const std::uint64_t limit = forced ? 0 : inputs_.settings.limits.connections;
  return inputs_.connections->try_add(inputs_.page_index, limit);
}

void Worker::Impl::close() { inputs_.connections->remove(inputs_.page_index); }

void Worker::Impl::on_socket_empty(const std::string& listener, unsigned slot,
                                   std::uint32_t leftover) {
  events_.on_socket_empty(listener, slot, leftover);
}

void Worker::Impl::on_hand_over(std::vector<HandedConnection> batch) {
  events_.on_hand_over(std::move(batch));
}

// The hash names the request in a crash report.
void Worker::Impl::run(http::Exchange& exchange) {
  inputs_.page->request_hash.store(fast_hash(exchange.request().target), std::memory_order_relaxed);
  if (client_address_ != nullptr) client_address_->identify(exchange);
  pipeline_->run(exchange);
  inputs_.page->request_hash.store(0, std::memory_order_relaxed);
}

void Worker::Impl::on_exchange_done(const http::Exchange& exchange) {
  static constexpr Metric kByClass[] = {Metric::kResponses5xx, Metric::kResponses1xx,
                                        Metric::kResponses2xx, Metric::kResponses3xx,
                                        Metric::kResponses4xx, Metric::kResponses5xx};
  metrics_.add(Metric::kRequests);
  metrics_.add(kByClass[std::clamp(exchange.status() / 100, 0, 5)]);
  metrics_.add(Metric::kResponseBytes, exchange.body_bytes_sent());
  if (!exchange.reason().empty()) count_refusal(exchange.reason());
  if (++requests_ == recycle_at_) want_recycling("max_requests");
}

void Worker::Impl::count_refusal(std::string_view reason) {
  if (reason == "host_not_allowed") metrics_.add(Metric::kHostRefused);
  if (reason == "address_denied") metrics_.add(Metric::kAddressRefused);
}

void Worker::Impl::want_recycling(std::string_view reason) {
  if (std::exchange(recycling_, true)) return;
  post([this, reason] { events_.on_recycle_wanted(reason); });
}

void Worker::Impl::on_turn_end() {
  if (loop_.now() - published_ >= kPublishInterval) publish();
  if (context_.drain == transport::Drain::kNone || drained_) return;
  if (connections_.size() > 0 || !acceptor_.is_empty()) return;
  drained_ = true;
  post([this] { events_.on_drained(); });
}

void Worker::Impl::publish() {
  published_ = loop_.now();
  const files::HotCache::Counts& cache = cache_.counts();
  metrics_.set(Metric::kCacheHits, cache.hits);
  metrics_.set(Metric::kCacheMisses, cache.misses);
  metrics_.set(Metric::kCacheProofs, cache.proofs);
  metrics_.set(Metric::kCacheProofFailures, cache.stale);
  metrics_.set(Metric::kCacheEvictions, cache.evictions);
  metrics_.set(Metric::kCacheEntries, cache_.size());
  metrics_.set(Metric::kCacheBytes, cache_.bytes());
  if (verifier_ != nullptr) {
    const access::Verifier::Counts& checks = verifier_->counts();
    metrics_.set(Metric::kAuthRight, checks.right);
    metrics_.set(Metric::kAuthWrong, checks.wrong);
    metrics_.set(Metric::kAuthThrottled, checks.throttled);
    metrics_.set(Metric::kAuthBusy, checks.busy);
  }
  const auto coder = coder_ ? coder_->counts() : body::ContentCoder::Counts{};
  metrics_.set(Metric::kCompressionEncoded, coder.encoded);
  metrics_.set(Metric::kCompressionJoined, coder.joined);
  metrics_.set(Metric::kCompressionStreamed, coder.streamed);
  metrics_.set(Metric::kCompressionSaturated, coder.saturated);
  metrics_.set(Metric::kCompressionInFlight, coder.in_flight);
  metrics_.set(Metric::kCompressionCacheHits, coded_files_.counts().hits);
  metrics_.set(Metric::kCompressionCacheEntries, coded_files_.size());
  metrics_.set(Metric::kCompressionCacheBytes, coded_files_.bytes());
  const auto digester = digester_ ? digester_->counts() : body::ContentDigester::Counts{};
  metrics_.set(Metric::kDigestComputed, digester.computed);
  metrics_.set(Metric::kDigestJoined, digester.joined);
  metrics_.set(Metric::kDigestReused, digester.reused);
  metrics_.set(Metric::kDigestSaturated, digester.saturated);
  metrics_.set(Metric::kDigestInFlight, digester.in_flight);
  metrics_.set(Metric::kDigestCacheEntries, digester.kept);
  const BlockingPool::Counts pool = pool_->counts();
  metrics_.set(Metric::kPoolQueued, pool.queued);
  metrics_.set(Metric::kPoolRunning, pool.running);
  metrics_.set(Metric::kPoolRefused, pool.refused);
}

void Worker::Impl::post(std::function<void()> event) {
  loop_.post([event = std::move(event), alive = alive_] {
    if (*alive) event();
  });
}

// ---- Worker ----

Worker::Worker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Worker::~Worker() = default;

Result<std::unique_ptr<Worker>> Worker::build(Loop& loop, WorkerInputs inputs,
                                              WorkerEvents& events) {
  auto impl = std::make_unique<Impl>(loop, std::move(inputs), events);
  SERVERY_TRY(impl->build());
  return std::unique_ptr<Worker>(new Worker(std::move(impl)));
}

void Worker::serve(std::vector<ListenSocket> sockets) { impl_->serve(std::move(sockets)); }

void Worker::give_back(unsigned slot) { impl_->acceptor().remove_slot(slot); }

void Worker::stop_accepting() { impl_->acceptor().remove_all_but_leaving(); }

void Worker::leave(const std::string& listener, unsigned slot, Milliseconds limit) {
  impl_->leave(listener, slot, limit);
}

void Worker::drain(SteadyTime deadline, bool hand_over) { impl_->drain(deadline, hand_over); }

void Worker::hand_over_done(const std::vector<std::uint64_t>& offered,
                            const std::vector<std::uint64_t>& taken) {
  impl_->hand_over().on_done(offered, taken);
}

void Worker::take_over(std::vector<HandedConnection> batch) { impl_->take_over(std::move(batch)); }

OpenWork Worker::open_work() const { return impl_->open_work(); }

}  // namespace servery
